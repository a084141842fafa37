//! The block's registers, in the hardware and in the golden block.

use respray_golden::nic::{Command, Counter, Register, Target};

use super::difference::Difference;
use super::end::{End, Out, WRITE_CYCLES};
use super::stimulus::Act;

/// Cycles that an access to a register takes at most: after `rst` all of them are given their values first.
const ACCESS_CYCLES: u64 = 60_000;
/// The longest time of a timer, in ticks.
const LONGEST_TIMER: u32 = 0xffff;
/// Cycles in which all comes to rest once no timer runs.
pub(super) const REST_CYCLES: u64 = 4_000;
/// How often it is waited for so long, at most: a connection may have its whole window to hand out once more.
const MOST_RESTS: u64 = 1_000;
/// The register by which commands are given, and that of the connection of a command.
const COMMAND: &str = "command";
/// The register by which the receiver takes a packet with SYN.
pub(super) const ACCEPT: &str = "accept";
const COMMAND_CONN: &str = "command_conn";
/// The register that counts clock cycles, whose value is that of a cycle of its read.
pub(super) const TIME_LOW: &str = "time_low";
const TIME_HIGH: &str = "time_high";

/// What is done before each cycle of an access: frames come meanwhile.
pub(super) type Meanwhile<'a> = &'a mut dyn FnMut(&mut End);

impl End {
    /// Writes the register `name` in both, while nothing else happens.
    ///
    /// # Errors
    /// A difference, of which one is that only one of them refuses it.
    ///
    /// # Panics
    /// If there is no such register.
    pub fn write(&mut self, name: &str, value: u32) -> Result<(), Difference> {
        self.write_while(name, value, &mut |_| {})
    }

    /// What a list says beside frames.
    ///
    /// # Errors
    /// A difference.
    pub(super) fn act(&mut self, act: &Act, meanwhile: Meanwhile<'_>) -> Result<(), Difference> {
        match act {
            Act::Write(name, value) => self.write_while(name, *value, meanwhile),
            Act::Check(name) => self.check_while(name, meanwhile),
            Act::Restart(cycles) => {
                self.reset(*cycles);
                Ok(())
            }
        }
    }

    fn write_while(&mut self, name: &str, value: u32, meanwhile: Meanwhile<'_>) -> Result<(), Difference> {
        self.keep_act(Act::Write(name.to_string(), value));
        let address = self.address(name);
        let bus = self.device.at.bus;
        self.device.put_write(address, value);
        self.device.set(bus.bready, 1);
        let (mut addressed, mut written) = (false, false);
        // a setting counts from the cycle on in which the hardware takes it, a command when it is done
        let is_command = name == COMMAND || name == ACCEPT;
        self.follower.accept_conn = value;
        let mut taken = None;
        for _ in 0..ACCESS_CYCLES {
            self.device.set(bus.awvalid, (!addressed).into());
            self.device.set(bus.wvalid, (!written).into());
            self.settled_at = self.cycle() + WRITE_CYCLES;
            meanwhile(self);
            self.step()?;
            addressed |= self.device.is(bus.awready);
            written |= self.device.is(bus.wready);
            if !is_command && self.device.seen().setting_taken {
                taken = Some(self.follower.golden.write(address, value));
            }
            if self.device.is(bus.bvalid) {
                self.device.set(bus.awvalid, 0);
                self.device.set(bus.wvalid, 0);
                let done = self.follower.take_done();
                let taken = taken.or(done).unwrap_or_else(|| self.follower.golden.write(address, value));
                let seen = self.device.get(bus.bresp) != 0;
                return self.follower.equal(&format!("{name} refuses {value}"), &seen, &taken.is_err());
            }
        }
        let unanswered =
            self.follower.difference(name, "the write is never answered".into(), "an answer".into());
        self.follower.heed(Err(unanswered))
    }

    /// A write that nobody waits for, and so many cycles in which nothing is compared: [`End::reset`] has to come behind them.
    ///
    /// # Panics
    /// If there is no such register.
    pub fn abandon_write(&mut self, name: &str, value: u32, cycles: u64) {
        let address = self.address(name);
        let bus = self.device.at.bus;
        self.device.put_write(address, value);
        for valid in [bus.awvalid, bus.wvalid] {
            self.device.set(valid, 1);
        }
        for _ in 0..cycles {
            self.device.cycle();
            self.follower.step();
        }
    }

    /// Reads the register `name` of the hardware, while nothing else happens.
    ///
    /// # Errors
    /// A difference, of which one is that there is no answer.
    ///
    /// # Panics
    /// If there is no such register.
    pub fn read(&mut self, name: &str) -> Result<u32, Difference> {
        let (value, _) = self.read_while(name, self.address(name), &mut |_| {})?;
        Ok(value)
    }

    /// What is read at an address, and whether that is refused.
    fn read_while(
        &mut self,
        name: &str,
        address: u32,
        meanwhile: Meanwhile<'_>,
    ) -> Result<(u32, bool), Difference> {
        let bus = self.device.at.bus;
        self.device.set(bus.araddr, address.into());
        self.device.set(bus.rready, 1);
        let mut addressed = false;
        for _ in 0..ACCESS_CYCLES {
            self.device.set(bus.arvalid, (!addressed).into());
            meanwhile(self);
            self.step()?;
            addressed |= self.device.is(bus.arready);
            if self.device.is(bus.rvalid) {
                self.device.set(bus.arvalid, 0);
                return Ok((self.device.get(bus.rdata) as u32, self.device.get(bus.rresp) != 0));
            }
        }
        let unanswered =
            self.follower.difference(name, "the read is never answered".into(), "an answer".into());
        self.follower.heed(Err(unanswered)).map(|()| (0, true))
    }

    /// Reads where no register is, which both refuse.
    ///
    /// # Errors
    /// A difference.
    pub(super) fn check_hole(&mut self, address: u32) -> Result<(), Difference> {
        self.check_at(&format!("address {address:#x}"), address, &mut |_| {})
    }

    /// Reads the register `name` in both, while nothing else happens.
    ///
    /// # Errors
    /// A difference.
    ///
    /// # Panics
    /// If there is no such register.
    pub fn check_register(&mut self, name: &str) -> Result<(), Difference> {
        self.check_while(name, &mut |_| {})
    }

    fn check_while(&mut self, name: &str, meanwhile: Meanwhile<'_>) -> Result<(), Difference> {
        self.keep_act(Act::Check(name.to_string()));
        if name == TIME_LOW {
            return self.time_is_right(meanwhile);
        }
        self.check_at(name, self.address(name), meanwhile)
    }

    fn check_at(&mut self, name: &str, address: u32, meanwhile: Meanwhile<'_>) -> Result<(), Difference> {
        let (seen, is_refused) = self.read_while(name, address, meanwhile)?;
        let expected = self.follower.golden.read(address);
        self.follower.equal(&format!("{name} refuses to be read"), &is_refused, &expected.is_err())?;
        // nothing is promised of what comes with a refusal
        expected.map_or(Ok(()), |expected| self.follower.equal(name, &seen, &expected))
    }

    /// Reads where a connection stands, by the command and the registers for it, in both.
    ///
    /// # Errors
    /// A difference.
    pub fn read_connection(&mut self, conn: u32) -> Result<(), Difference> {
        self.write(COMMAND_CONN, conn)?;
        self.give_with_results(Command::Read)
    }

    /// Closes a connection both ways, in both: where its sender stood, and that it is not open then.
    ///
    /// # Errors
    /// A difference.
    pub fn close_connection(&mut self, conn: u32) -> Result<(), Difference> {
        self.write(COMMAND_CONN, conn)?;
        self.write(COMMAND, Command::CloseRx as u32)?;
        self.give_with_results(Command::CloseTx)?;
        self.give_with_results(Command::Read)
    }

    /// A command that has results, which are read.
    fn give_with_results(&mut self, command: Command) -> Result<(), Difference> {
        self.write(COMMAND, command as u32)?;
        let all = self.golden().registers().iter();
        let results = all.filter(|register| matches!(register.target, Target::Result(_)));
        let names: Vec<String> = results.map(|register| register.name.clone()).collect();
        names.iter().try_for_each(|name| self.check_register(name))
    }

    /// Reads the count of clock cycles, which has to be that of a cycle of its read.
    ///
    /// # Errors
    /// A difference.
    pub fn check_time(&mut self) -> Result<(), Difference> {
        self.check_register(TIME_LOW)
    }

    fn time_is_right(&mut self, meanwhile: Meanwhile<'_>) -> Result<(), Difference> {
        let before = self.follower.clock();
        let (low, _) = self.read_while(TIME_LOW, self.address(TIME_LOW), meanwhile)?;
        let after = self.follower.clock();
        let (high, _) = self.read_while(TIME_HIGH, self.address(TIME_HIGH), meanwhile)?;
        let seen = u64::from(high) << 32 | u64::from(low);
        if (before..=after).contains(&seen) {
            return Ok(());
        }
        let expected = format!("one from {before} to {after}");
        let wrong = self.follower.difference("the count of clock cycles", seen.to_string(), expected);
        self.follower.heed(Err(wrong))
    }

    fn address(&self, name: &str) -> u32 {
        self.follower.golden.address(name).unwrap_or_else(|| panic!("there is no register {name}"))
    }

    /// Nothing is left undone, and all counters are equal. The timers are stopped first, which go on where a host sends nothing again. Nothing of it is kept as
    /// given, and no stream pauses any more.
    ///
    /// # Errors
    /// What is left undone, or the first counter that differs.
    pub fn check_counters(&mut self) -> Result<(), Difference> {
        self.pace(None, 0);
        let recording = self.recording.take();
        let checked = self.stop_and_compare();
        self.recording = recording;
        checked
    }

    /// No timer ends for long.
    ///
    /// # Errors
    /// A difference.
    pub(super) fn stop_timers(&mut self) -> Result<(), Difference> {
        ["rto", "probe_timeout"].into_iter().try_for_each(|timer| self.write(timer, LONGEST_TIMER))
    }

    fn stop_and_compare(&mut self) -> Result<(), Difference> {
        self.stop_timers()?;
        self.rest()?;
        self.follower.equal("what is left undone", &None, &self.follower.golden.left_undone())?;
        // of the selector's events, too, and of packets that wait
        let of_counter = |register: &&Register| matches!(register.target, Target::Counter(_));
        let counters = self.golden().registers().iter().filter(of_counter);
        for low in counters.map(|register| register.name.clone()).collect::<Vec<_>>() {
            self.check_register(&low)?;
            self.check_register(&low.replace("_low", "_high"))?;
        }
        Ok(())
    }

    /// Nothing is given, until nothing was counted for [`REST_CYCLES`]: what a timer began before it was stopped goes on, and the hardware
    /// counts some cycles later than the golden block.
    fn rest(&mut self) -> Result<(), Difference> {
        let counts = |end: &End| -> Vec<u64> {
            Counter::ALL.iter().map(|counter| end.golden().counter(*counter)).collect()
        };
        for _ in 0..MOST_RESTS {
            let before = counts(self);
            for _ in 0..REST_CYCLES {
                self.step()?;
                self.out = Out::default();
            }
            if counts(self) == before {
                break;
            }
        }
        Ok(())
    }
}
