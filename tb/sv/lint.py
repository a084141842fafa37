"""Reads SystemVerilog with slang, as its command line would, with slang's arguments. Exit code 1 with what slang says."""
import sys

from pyslang.driver import Driver

slang = Driver()
slang.addStandardArgs()
is_read = slang.parseCommandLine(" ".join(["slang", *sys.argv[1:]])) and slang.processOptions() and slang.parseAllSources()
if is_read:
    slang.reportCompilation(slang.createCompilation(), False)
sys.exit(0 if is_read and slang.reportDiagnostics(False) else 1)
