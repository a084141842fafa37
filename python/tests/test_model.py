"""The package as a user has it."""

import time
from pathlib import Path

import numpy as np
import pytest

import respray

PROJECT = Path(__file__).resolve().parents[2]


def test_reps_replays_what_it_cached() -> None:
    with respray.Model("reps", connections=16, reps={"depth": 4}) as reps:
        first = reps.op("send", conn=3)
        assert (first["res_valid"], first["res_conn"], first["res_kind"]) == (1, 3, 0)
        assert reps.op("ack", conn=3, ev=77)["ev_cached"] == 1
        again = reps.op("send", conn=3)
        assert (again["res_kind"], again["res_ev"]) == (1, 77)


def test_a_batch_is_the_same_as_its_ops_one_by_one() -> None:
    batch, single = respray.Model("sack_rx", connections=16), respray.Model("sack_rx", connections=16)
    ops = batch.random(seed=5, count=500)
    results = batch.apply(ops)
    assert [single.apply(op.reshape(1))[0] for op in ops] == list(results)
    assert {0, 1, 2}.issubset(results["res_status"].tolist())


def test_a_batch_is_far_quicker_than_calls_one_by_one() -> None:
    reps = respray.Model("reps")
    ops = reps.random(seed=1, count=200_000)

    def seconds_an_op(ops_at_once: int) -> float:
        begun = time.perf_counter()
        for first in range(0, 200 * ops_at_once, ops_at_once):
            reps.apply(ops[first : first + ops_at_once])
        return (time.perf_counter() - begun) / (200 * ops_at_once)

    single, batch = seconds_an_op(1), min(seconds_an_op(1000) for _ in range(3))
    print(f"{1e-6 / batch:.1f} M ops a second in batches of 1000, {1e-6 / single:.2f} M one by one")
    assert batch * 2 < single


def test_records_are_tables_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    reps = respray.Model("reps")
    table = pandas.DataFrame(reps.apply(reps.random(seed=1, count=1000)))
    assert set(table[table.res_valid == 1].groupby("res_kind").size().index) <= {0, 1, 2}
    assert len(table) == 1000


def test_traces_and_captures_are_iterated_over() -> None:
    reps = respray.Model("reps")
    recordings = PROJECT / "tb" / "recordings"
    capture = reps.trace(recordings / "steady-sender.pcap.gz")
    kinds = {int(op["kind"]) for op in capture if not isinstance(op, respray.Reset)}
    assert len(capture) > 100 and {reps.kinds["send"], reps.kinds["ack"]} <= kinds
    assert len(reps.apply(capture.ops[capture.kinds == 0])) == (capture.kinds == 0).sum()
    with pytest.raises(respray.ModelError, match="nowhere.csv"):
        reps.trace("nowhere.csv")


def test_resets_of_a_trace_have_their_seed(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("time_ns,op,conn,ev\n1,send,2,\n1,reset,,9\n1,reset,,\n2,send,3,\n")
    trace = list(respray.Model("reps").trace(path))
    assert trace[1:3] == [respray.Reset(9), respray.Reset(None)]
    assert [int(op["conn"]) for op in (trace[0], trace[3])] == [2, 3]  # type: ignore[index]


def test_frames_go_through_the_rewriter_and_come_with_their_record() -> None:
    model = respray.Model("rewrite_rx")
    frame = bytes(range(64))
    assert model.push("s_axis", frame)
    found = model.pop("m_axis")
    assert found is not None and found.frame == frame
    record = model.pop("meta")
    assert record is not None and (found.fields["pkt_other"], record.fields["meta_kind"]) == (1, 3)
    assert model.pop("m_axis") is None


def test_what_is_wrong_is_said_in_a_sentence() -> None:
    with pytest.raises(respray.ModelError, match="`reps.depth` is 5") as refused:
        respray.Model("reps", reps={"depth": 5})
    assert refused.value.code == 2
    reps = respray.Model("reps", connections=16)
    with pytest.raises(respray.ModelError, match="`conn` is 16; allowed: 0 to 15"):
        reps.op("send", conn=16)
    with pytest.raises(TypeError, match="fields kind, conn"):
        reps.apply(np.zeros(3, np.uint64))  # pyright: ignore[reportArgumentType]
    reps.close()
    with pytest.raises(respray.ModelError, match="no open model"):
        reps.reset()
    nic = respray.Model("nic")
    with pytest.raises(KeyError, match="tx_in, rx_in"):
        nic.push("tx", b"")
    assert nic.get("identity") == int.from_bytes(b"RSPN", "big")
    with pytest.raises(respray.ModelError, match="read-only"):
        nic.set("identity", 1)
