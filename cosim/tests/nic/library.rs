//! The example of docs/library.md, which has all below this line.

use respray_cosim::nic::End;
use respray_golden::hosts::frames;
use respray_golden::nic::Command;
use respray_golden::wire::Profile;
use respray_hdl::config::Config;

#[test]
fn a_packet_of_the_host_leaves() -> Result<(), Box<dyn std::error::Error>> {
    let sets = ["connections=16", "sack.window=64", "bus_bits=64"].map(String::from);
    let mut nic = End::generated(&Config::load(None, &sets)?)?;
    for (register, value) in [("command_conn", 3), ("command_psn", 100), ("command", Command::OpenTx as u32)]
    {
        nic.write(register, value)?;
    }
    let (conn, psn, bytes) = (3, 100, 64);
    nic.send(frames::data(Profile::Strack, &frames::Data { conn, psn, bytes, ..Default::default() }).into());
    (0..200).try_for_each(|_| nic.step())?;
    assert_eq!(nic.out.transmitted.len(), 1);
    Ok(())
}
