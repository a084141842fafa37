# Makes an out-of-context Vivado project of ops for each Alveo card, at 322.265625 MHz, in ./vivado. Made by respray.
#
#   vivado -mode batch -source ops.tcl                    a project for every card
#   vivado -mode batch -source ops.tcl -tclargs u50 u280  for these cards
#   vivado -mode batch -source ops.tcl -tclargs u50 run   and place and route it, with reports
set here [file dirname [file normalize [info script]]]
set cards {
    u50 xcu50-fsvh2104-2-e u50_322.xdc
    u200 xcu200-fsgd2104-2-e u200_322.xdc
    u250 xcu250-figd2104-2L-e u250_322.xdc
    u280 xcu280-fsvh2892-2L-e u280_322.xdc
    u55c xcu55c-fsvh2892-2L-e u55c_322.xdc
}
set run 0
set wanted {}
foreach argument $argv {
    if {$argument eq "run"} { set run 1 } else { lappend wanted $argument }
}
foreach card $wanted {
    if {[lsearch -exact $cards $card] % 3 != 0} { error "no card $card; the cards are u50, u200, u250, u280, u55c" }
}
foreach {card part xdc} $cards {
    if {[llength $wanted] && $card ni $wanted} { continue }
    create_project -force -part $part ops_$card [file join [pwd] vivado ops_$card]
    add_files -norecurse [file join $here ops.v]
    set constraints [file join $here constraints $xdc]
    if {![file exists $constraints]} { set constraints [file join [file dirname $here] constraints $xdc] }
    add_files -fileset constrs_1 -norecurse $constraints
    set_property used_in {synthesis implementation out_of_context} [get_files $xdc]
    set_property top ops [current_fileset]
    set_property -name {STEPS.SYNTH_DESIGN.ARGS.MORE OPTIONS} -value {-mode out_of_context} -objects [get_runs synth_1]
    if {$run} {
        launch_runs impl_1 -to_step route_design
        wait_on_run impl_1
        open_run impl_1
        report_utilization -file [file join [pwd] vivado ops_$card utilization.rpt]
        report_timing_summary -file [file join [pwd] vivado ops_$card timing.rpt]
    }
    close_project
}
