//! Steps of a nic that another one gives the order of: what waits in between keeps its place.

use respray_golden::nic::{Delivery, Fate, Nic};
use respray_golden::sack_rx::Status;
use respray_golden::wire::Profile;

use super::{arriving, config, opened};

/// The PSN and the status of the next frame for the host.
fn next(nic: &mut Nic) -> Option<(u32, Option<Status>)> {
    nic.deliver().map(|Delivery { record, status, .. }| (record.psn, status))
}

#[test]
fn each_frame_gets_its_own_status_however_late_it_comes() {
    for profile in Profile::ALL {
        let mut nic = opened(config(profile), 100);
        let arrive = |nic: &mut Nic, frame| nic.arrive(frame, false, Fate::Taken);
        arrive(&mut nic, vec![0; 60]);
        for psn in [100, 101, 100] {
            arrive(&mut nic, arriving(profile, psn).frame());
        }
        assert_eq!(next(&mut nic), Some((0, None)));
        assert_eq!(next(&mut nic), None, "its status is not there yet");
        nic.packet(true);
        assert_eq!(next(&mut nic), Some((100, Some(Status::New))));
        nic.packet(true);
        arrive(&mut nic, arriving(profile, 102).frame());
        nic.packet(true);
        for expected in [(101, Status::New), (100, Status::Duplicate)] {
            assert_eq!(next(&mut nic), Some((expected.0, Some(expected.1))));
        }
        assert_eq!(next(&mut nic), None, "its status is not there yet");
        nic.packet(true);
        assert_eq!(next(&mut nic), Some((102, Some(Status::New))));
    }
}
