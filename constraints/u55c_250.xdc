# Alveo U55C (xcu55c-fsvh2892-2L-e), 250 MHz. Made by respray from its table of cards.
#
# Vivado has never read this file. A test reads it with commands that stand in for Vivado's, and no more.
#
# Out of context (synth_design -mode out_of_context) this clock is all there is: paths from and to ports stay without
# a constraint, so register the ports or read the paths between registers only. HD.CLK_SRC names the buffer from which the
# clock is taken to come; without one, Vivado would reckon with no skew at all.
#
# In a shell leave this file out: the clock's IP makes the clock. Connect clk to
#   322.265625 MHz  the user clock of the 100G MAC (CMAC: gt_txusrclk2), so that no packet crosses a clock domain;
#   250 MHz         the user clock of the PCIe DMA (QDMA, XDMA: axi_aclk);
#   another clock   a clocking wizard (in a Vitis shell: ap_clk at --kernel_frequency).
# rst is synchronous and active-high: take it from the proc_sys_reset of the same clock (peripheral_reset).
create_clock -period 4.000 -name clk [get_ports clk]
set_property HD.CLK_SRC BUFGCTRL_X0Y0 [get_ports clk]
