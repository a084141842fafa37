"""Reads SystemVerilog with slang, whose arguments these are. Exit code 1, with what slang says, if it refuses."""
import sys

from pyslang.driver import Driver

slang = Driver()
slang.addStandardArgs()
line = " ".join(["slang", *sys.argv[1:]])
is_read = slang.parseCommandLine(line) and slang.processOptions() and slang.parseAllSources()
if is_read:
    slang.reportCompilation(slang.createCompilation(), False)
sys.exit(0 if is_read and slang.reportDiagnostics(False) else 1)
