// What is wrong with a page in a frame, a sentence each: text that is cut off, lies on other text or on a drawing, or is
// hidden by a box.
function faults(frame) {
  const page = frame.contentDocument, view = frame.contentWindow, found = new Set();
  page.querySelectorAll('details').forEach(details => details.open = true);
  frame.style.height = page.documentElement.scrollHeight + 'px';
  const width = view.innerWidth;
  if (page.documentElement.scrollWidth > width) {
    found.add(`the page is ${page.documentElement.scrollWidth} pixels wide`);
  }
  const named = text => '`' + text.replace(/\s+/g, ' ').slice(0, 50) + '`';
  const overflow = element => view.getComputedStyle(element).overflowX;
  const scroller = element => {
    for (let at = element; at && at !== page.documentElement; at = at.parentElement) {
      if (['auto', 'scroll'].includes(overflow(at))) return at;
    }
  };
  const goesBeyond = (box, outer) => box.left < outer.left - 1 || box.right > outer.right + 1
    || box.top < outer.top - 1 || box.bottom > outer.bottom + 1;
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

  // the boxes of all letters, one for each line
  const boxes = [];
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement, text = node.data.trim();
    if (!text || element.closest('style, script, title, desc')) continue;
    if (view.getComputedStyle(element).visibility !== 'visible') continue;
    const range = page.createRange();
    range.selectNodeContents(node);
    const lines = element.closest('svg') ? [element.getBoundingClientRect()] : range.getClientRects();
    for (const { left, right, top, bottom } of lines) {
      if (right - left < 0.5 || bottom - top < 0.5) continue;
      boxes.push({ text, element, left, right, top, bottom, scroller: scroller(element) });
    }
  }

  for (const box of boxes) {
    for (let at = box.element; at && at !== page.documentElement && at !== box.scroller; at = at.parentElement) {
      const outer = at.getBoundingClientRect();
      const cuts = ['hidden', 'clip'].includes(overflow(at)) || at.matches('.card, .tile');
      // an inline box has no width of its own
      if (cuts && outer.width > 0 && goesBeyond(box, outer)) found.add(`${named(box.text)} is cut off`);
    }
    if (!box.scroller && (box.left < -0.5 || box.right > width + 0.5)) found.add(`${named(box.text)} leaves the page`);
    // what is seen in the middle of a box has to be its text
    const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
    const seen = box.scroller ? box.scroller.getBoundingClientRect() : { left: 0, right: width };
    if (x <= seen.left || x >= Math.min(seen.right, width)) continue;
    const top = page.elementFromPoint(x, y);
    // a column that stays where it is hides what is scrolled below it
    const stays = top && top.closest('th[scope=row]') && box.scroller;
    if (top && !stays && !top.contains(box.element) && !box.element.contains(top)) {
      found.add(`${named(box.text)} is hidden by ${named(top.className.baseVal ?? top.className)}`);
    }
  }

  // letters take the middle of their boxes
  const inner = boxes.map(box => {
    const inset = 0.2 * (box.bottom - box.top);
    const { left, right, top, bottom } = box;
    return { ...box, left: left + 0.5, right: right - 0.5, top: top + inset, bottom: bottom - inset };
  }).sort((a, b) => a.top - b.top);
  inner.forEach((box, at) => {
    for (let next = at + 1; next < inner.length && inner[next].top < box.bottom; next++) {
      const other = inner[next];
      if (other.scroller !== box.scroller) continue;
      if (meet(box, other)) found.add(`${named(box.text)} and ${named(other.text)} overlap`);
    }
  });
  for (const drawing of page.querySelectorAll('.chart svg')) {
    const field = drawing.getBoundingClientRect();
    for (const box of inner.filter(box => meet(box, field))) found.add(`${named(box.text)} lies on a drawing`);
  }
  return [...found];
}

addEventListener('load', () => {
  const all = [...document.querySelectorAll('iframe')].map(frame => (
    { page: frame.title, width: frame.contentWindow.innerWidth, faults: faults(frame) }
  ));
  document.body.textContent = JSON.stringify(all);
});
