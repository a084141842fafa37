# What nextpnr-generic runs before it places: the grid, and the timing of cells in ns.

import json

with open("grid.json") as file:
    given = json.load(file)
for name, kind, x, y, z in given["bels"]:
    ctx.addBel(name=name, type=kind, loc=Loc(x, y, z), gb=kind == "clock", hidden=False)
ctx.setDelayScaling(given["row"], given["least"])
clocked = set()
for cell, start, end, delay in given["through"]:
    ctx.addCellTimingDelay(cell=cell, fromPort=start, toPort=end, delay=delay)
for cell, port, setup in given["setups"]:
    ctx.addCellTimingSetupHold(cell=cell, port=port, clock="clock", setup=setup, hold=0)
    clocked.add(cell)
for cell, port, delay in given["clock_to"]:
    ctx.addCellTimingClockToOut(cell=cell, port=port, clock="clock", clktoq=delay)
    clocked.add(cell)
for cell in sorted(clocked):
    ctx.addCellTimingClock(cell=cell, port="clock")
