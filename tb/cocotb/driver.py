"""A driver of the block: registers and commands by their names, over AXI4-Lite."""

import json
from pathlib import Path

from cocotb.handle import SimHandleBase
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp


class Refused(Exception):
    """The block answered an access with SLVERR."""


class Driver:
    """Reads and writes registers by name. The names and addresses are those of `nic_registers.json`, which
    `respray generate` writes beside the Verilog."""

    def __init__(self, dut: SimHandleBase, description: Path) -> None:
        self.bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        document = json.loads(description.read_text())
        self.registers = {register["name"]: register for register in document["registers"]}
        self.commands = {command["name"]: command["code"] for command in document["commands"]}
        self.event_record = {field["name"]: field for field in document["event_record"]}
        self.event_kinds = {kind["code"]: kind["name"] for kind in document["event_kinds"]}

    async def read_address(self, address: int) -> tuple[AxiResp, int]:
        """The answer to a read of four bytes, and what was read."""
        answer = await self.bus.read(address, 4)
        return answer.resp, int.from_bytes(answer.data, "little")

    async def write_address(self, address: int, data: bytes) -> AxiResp:
        """The answer to a write of these bytes."""
        return (await self.bus.write(address, data)).resp

    async def read(self, name: str) -> int:
        resp, value = await self.read_address(self.registers[name]["address"])
        if resp != AxiResp.OKAY:
            raise Refused(f"read of {name}: {resp.name}")
        return value

    async def write(self, name: str, value: int) -> None:
        resp = await self.write_address(self.registers[name]["address"], value.to_bytes(4, "little"))
        if resp != AxiResp.OKAY:
            raise Refused(f"write of {value} to {name}: {resp.name}")

    def counters(self) -> list[str]:
        """The names of the counters: those whose low half a write clears."""
        cleared = [name for name, register in self.registers.items() if register["is_cleared_by_write"]]
        return [name.removesuffix("_low") for name in cleared]

    async def counter(self, name: str) -> int:
        """A counter of 64 bits: the read of its low half keeps the high one."""
        low = await self.read(f"{name}_low")
        return low | await self.read(f"{name}_high") << 32

    async def command(self, name: str, **operands: int) -> None:
        """A command with its operands, e.g. `command("open_tx", conn=5, psn=0)`."""
        for operand, value in operands.items():
            await self.write(f"command_{operand}", value)
        await self.write("command", self.commands[name])

    def event(self, record: int) -> dict[str, int | str]:
        """The fields of a record of the event stream, its kind by name."""
        fields = {
            name: record >> field["low"] & (1 << field["width"]) - 1 for name, field in self.event_record.items()
        }
        return fields | {"kind": self.event_kinds[fields["kind"]]}
