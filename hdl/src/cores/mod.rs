pub mod reps;
