# Makes an out-of-context Vivado project of sack_tx for each Alveo card, at 322.265625 MHz, in ./vivado. Made by respray.
#
# Vivado has never run this script. A test runs it with commands that stand in for Vivado's, and no more.
#
#   vivado -mode batch -source sack_tx.tcl                           a project for every card
#   vivado -mode batch -source sack_tx.tcl -tclargs u50 u280         for these cards
#   vivado -mode batch -source sack_tx.tcl -tclargs u50 run jobs=8   and place and route it, with reports
#
# A run writes reports of utilization, timing, methodology and design rules beside its project. The exit code is 1 where
# the timing of a card is not met or its place and route did not end.
set here [file dirname [file normalize [info script]]]
set sources {sack_tx.v}
# Of each card its part and its constraints.
set cards {
    u50 {xcu50-fsvh2104-2-e ../constraints/u50_322.xdc}
    u200 {xcu200-fsgd2104-2-e ../constraints/u200_322.xdc}
    u250 {xcu250-figd2104-2L-e ../constraints/u250_322.xdc}
    u280 {xcu280-fsvh2892-2L-e ../constraints/u280_322.xdc}
    u55c {xcu55c-fsvh2892-2L-e ../constraints/u55c_322.xdc}
}
set run 0
set jobs 4
set wanted {}
foreach argument $argv {
    if {$argument eq "run"} {
        set run 1
    } elseif {![regexp {^jobs=([1-9][0-9]*)$} $argument -> jobs]} {
        lappend wanted $argument
    }
}
foreach card $wanted {
    if {![dict exists $cards $card]} { error "no card $card; the cards are [join [dict keys $cards] {, }]" }
}
set failed {}
dict for {card part_and_xdc} $cards {
    if {[llength $wanted] && $card ni $wanted} { continue }
    lassign $part_and_xdc part xdc
    set folder [file join [pwd] vivado sack_tx_$card]
    create_project -force -part $part sack_tx_$card $folder
    foreach source $sources { add_files -norecurse [file join $here $source] }
    add_files -fileset constrs_1 -norecurse [file join $here $xdc]
    set_property used_in {synthesis implementation out_of_context} [get_files [file tail $xdc]]
    set_property top sack_tx [current_fileset]
    set_property -name {STEPS.SYNTH_DESIGN.ARGS.MORE OPTIONS} -value {-mode out_of_context} -objects [get_runs synth_1]
    if {$run} {
        launch_runs impl_1 -to_step route_design -jobs $jobs
        wait_on_run impl_1
        if {[get_property PROGRESS [get_runs impl_1]] ne "100%"} {
            lappend failed "sack_tx on $card: place and route did not end"
        } else {
            open_run impl_1
            report_utilization -file [file join $folder utilization.rpt]
            report_timing_summary -file [file join $folder timing.rpt]
            report_methodology -file [file join $folder methodology.rpt]
            report_drc -file [file join $folder drc.rpt]
            set wns [get_property SLACK [get_timing_paths -delay_type max -max_paths 1]]
            puts "sack_tx on $card: WNS $wns ns"
            # without a constrained path there is no slack
            if {$wns eq "" || $wns < 0} { lappend failed "sack_tx on $card: timing is not met, WNS $wns ns" }
        }
    }
    close_project
}
foreach sentence $failed { puts stderr $sentence }
if {[llength $failed]} { exit 1 }
