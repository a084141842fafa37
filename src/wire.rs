//! The header profile of the configuration as the golden side names it.

use respray_golden::wire::Profile;
use respray_hdl::config::Wire;

pub fn golden(wire: Wire) -> Profile {
    match wire {
        Wire::Strack => Profile::Strack,
        Wire::Uet => Profile::Uet,
    }
}
