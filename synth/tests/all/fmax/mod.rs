//! The estimate of Fmax: netlists made by hand whose paths are worked out by hand, every delay of the table seen to matter, and
//! ECP5, where nextpnr places and routes.

mod arcs;
mod cases;
mod ecp5;
mod hand;
mod place;
mod place_run;
mod refused;
mod source;
mod table;
