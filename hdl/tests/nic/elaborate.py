"""Compiles a SystemRDL file and prints its registers as JSON: name, address, access, width and reset value."""

import json
import sys

from systemrdl import RDLCompiler
from systemrdl.node import FieldNode

compiler = RDLCompiler()
compiler.compile_file(sys.argv[1])
registers = []
for register in compiler.elaborate().top.registers():
    (field,) = register.fields()
    assert isinstance(field, FieldNode) and field.lsb == 0
    registers.append(
        {
            "name": register.inst_name,
            "address": register.absolute_address,
            "readable": field.is_sw_readable,
            "writable": field.is_sw_writable,
            "width": field.width,
            "reset": field.get_property("reset"),
        }
    )
json.dump(registers, sys.stdout)
