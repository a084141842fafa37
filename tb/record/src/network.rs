//! Two hosts and four paths between them, all in network namespaces of our own:
//!
//! ```text
//!                         ┌── path 0 ──┐
//!   sender ── left switch ├── path 1 ──┤ right switch ── receiver
//!  10.77.1.2              ├── path 2 ──┤               10.77.2.2
//!                         └── path 3 ──┘
//! ```
//!
//! The switches are the kernel's own forwarding with equal-cost routes over the four paths and layer-4 hashing, in both
//! directions. On the way to the receiver each path has a rate (tbf) and marks what comes beyond its share (nftables).
//! The hosts' interfaces have no IP address: their frames come from and go to packet sockets, as on a NIC. Nothing
//! leads out of the namespaces.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::command::run;
use crate::error::RecordError;

/// Paths between the switches.
pub const PATHS: usize = 4;

/// Interface of a host, and of its switch towards it, and name of the capture's interface.
pub const HOST_INTERFACE: &str = "host";
/// Address and MAC of the sender.
pub const SENDER: Host =
    Host { address: [10, 77, 1, 2], mac: [2, 0x77, 0, 0, 1, 2], gateway: [2, 0x77, 0, 0, 1, 1] };
/// Address and MAC of the receiver.
pub const RECEIVER: Host =
    Host { address: [10, 77, 2, 2], mac: [2, 0x77, 0, 0, 2, 2], gateway: [2, 0x77, 0, 0, 2, 1] };

/// A host as frames name it.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// IPv4 address.
    pub address: [u8; 4],
    /// MAC address of its interface.
    pub mac: [u8; 6],
    /// MAC address of its switch.
    pub gateway: [u8; 6],
}

/// What the paths to the receiver are like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Bytes of a data frame on Ethernet.
    pub frame_bytes: usize,
    /// Rate of each in data packets a second.
    pub packets_per_second: [u64; PATHS],
    /// Packets that the queue of each holds.
    pub queue_packets: usize,
    /// Packets by which a path may run over its share before it marks.
    pub mark_burst: u64,
    /// Packets of a thousand that each loses by chance.
    pub lost_per_mille: [u32; PATHS],
}

impl Paths {
    /// A path's share, beyond which it marks: 80% of its rate, in packets a second.
    pub fn share(&self, path: usize) -> u64 {
        self.packets_per_second[path] * 4 / 5
    }
}

/// The namespaces; they go when this goes.
pub struct Network {
    prefix: String,
}

/// What a path's counters say, from the left switch to the right one.
#[derive(Clone, Debug, Default)]
pub struct PathCounters {
    /// Packets that the path took from the left switch.
    pub packets: u64,
    /// Packets that were marked CE on it.
    pub ce: u64,
    /// Packets that its queue dropped.
    pub dropped: u64,
    /// EVs (UDP source ports) that the kernel's hash sent over it.
    pub evs: Vec<u16>,
}

static NETWORKS: AtomicU32 = AtomicU32::new(0);

impl Network {
    /// Makes the namespaces, links, routes, rates and marks.
    pub fn create(paths: &Paths) -> Result<Network, RecordError> {
        if !nix::unistd::Uid::effective().is_root() {
            return Err(RecordError::NotRoot);
        }
        let serial = NETWORKS.fetch_add(1, Ordering::Relaxed);
        let network = Network { prefix: format!("respray-{}-{serial}", std::process::id()) };
        for role in ["sender", "left", "right", "receiver"] {
            let name = network.name(role);
            run(&format!("ip netns add {name}"), "")?;
            if Path::new("/proc/sys/net/ipv6").exists() {
                // no frames but ours
                network.set(role, "ipv6/conf/all/disable_ipv6", 1)?;
                network.set(role, "ipv6/conf/default/disable_ipv6", 1)?;
            }
        }
        for role in ["left", "right"] {
            network.set(role, "ipv4/ip_forward", 1)?;
            network.set(role, "ipv4/conf/all/rp_filter", 0)?;
            network.set(role, "ipv4/conf/default/rp_filter", 0)?;
            network.set(role, "ipv4/fib_multipath_hash_policy", 1)?;
            // a path whose far end is down stays in the route: that is the failure that sprayers must live with
            network.set(role, "ipv4/conf/all/ignore_routes_with_linkdown", 0)?;
        }
        network.attach("sender", "left", &SENDER)?;
        network.attach("receiver", "right", &RECEIVER)?;
        for path in 0..PATHS {
            network.lay(path)?;
        }
        network.route("left", &RECEIVER, 2)?;
        network.route("right", &SENDER, 1)?;
        for path in 0..PATHS {
            let rate = paths.packets_per_second[path] * paths.frame_bytes as u64 * 8;
            let limit = paths.queue_packets * paths.frame_bytes;
            let burst = 2 * paths.frame_bytes;
            let left = network.name("left");
            run(
                &format!(
                    "tc -n {left} qdisc add dev p{path} root tbf rate {rate}bit burst {burst} limit {limit}"
                ),
                "",
            )?;
        }
        run(&format!("ip netns exec {} nft -f -", network.name("left")), &rules(paths))?;
        Ok(network)
    }

    /// The namespace of a role: `sender`, `left`, `right` or `receiver`.
    pub fn name(&self, role: &str) -> String {
        format!("{}-{role}", self.prefix)
    }

    /// The file that stands for a namespace.
    pub fn file(&self, role: &str) -> PathBuf {
        PathBuf::from("/run/netns").join(self.name(role))
    }

    /// Gives both hosts their addresses, so that sockets of theirs can be used.
    pub fn give_addresses(&self) -> Result<(), RecordError> {
        for (role, host) in [("sender", &SENDER), ("receiver", &RECEIVER)] {
            let name = self.name(role);
            let [a, b, c, d] = host.address;
            let gateway = mac(host.gateway);
            run(&format!("ip -n {name} addr add {a}.{b}.{c}.{d}/24 dev {HOST_INTERFACE}"), "")?;
            run(
                &format!(
                    "ip -n {name} neigh add {a}.{b}.{c}.1 lladdr {gateway} dev {HOST_INTERFACE} nud permanent"
                ),
                "",
            )?;
            run(&format!("ip -n {name} route add default via {a}.{b}.{c}.1"), "")?;
        }
        Ok(())
    }

    /// Takes a path down at its far end, or brings it back.
    pub fn set_path(&self, path: usize, up: bool) -> Result<(), RecordError> {
        let right = self.name("right");
        let state = if up { "up" } else { "down" };
        run(&format!("ip -n {right} link set p{path} {state}"), "")?;
        if up {
            // going down forgot them
            self.neighbour("right", path, 1)?;
            self.route("right", &SENDER, 1)?;
        }
        Ok(())
    }

    /// Lets the right switch forward nothing, in silence, or everything again.
    pub fn set_dark(&self, dark: bool) -> Result<(), RecordError> {
        let right = self.name("right");
        let rules = match dark {
            true => {
                "table ip dark { chain everything { type filter hook forward priority -10; \
                 policy drop;\n}\n}\n"
            }
            false => "delete table ip dark\n",
        };
        run(&format!("ip netns exec {right} nft -f -"), rules).map(drop)
    }

    /// Reads the counters of every path.
    pub fn counters(&self) -> Result<Vec<PathCounters>, RecordError> {
        (0..PATHS).map(|path| self.path_counters(path)).collect()
    }

    fn path_counters(&self, path: usize) -> Result<PathCounters, RecordError> {
        let left = self.name("left");
        let bad = |what: &str| RecordError::Counters { what: what.into() };
        let json = |text: String, what: &str| {
            serde_json::from_str::<serde_json::Value>(&text).map_err(|_| bad(what))
        };
        let ce = json(
            run(&format!("ip netns exec {left} nft -j list counter ip spray ce{path}"), "")?,
            "nft counter",
        )?;
        let ce =
            find(&ce, "counter").and_then(|c| c["packets"].as_u64()).ok_or_else(|| bad("nft counter"))?;
        let set =
            json(run(&format!("ip netns exec {left} nft -j list set ip spray ev{path}"), "")?, "nft set")?;
        let set = find(&set, "set").ok_or_else(|| bad("nft set"))?;
        let mut evs = Vec::new();
        for element in set["elem"].as_array().map_or(&[][..], Vec::as_slice) {
            let value = if element.is_u64() { element } else { &element["elem"]["val"] };
            evs.push(value.as_u64().and_then(|v| u16::try_from(v).ok()).ok_or_else(|| bad("nft set"))?);
        }
        evs.sort_unstable();
        let qdisc = json(run(&format!("tc -n {left} -s -j qdisc show dev p{path}"), "")?, "tc qdisc")?;
        let link = json(run(&format!("ip -n {left} -s -j link show dev p{path}"), "")?, "ip link")?;
        let packets = link[0]["stats64"]["tx"]["packets"].as_u64().ok_or_else(|| bad("ip link"))?;
        Ok(PathCounters { packets, ce, dropped: qdisc[0]["drops"].as_u64().unwrap_or(0), evs })
    }

    fn set(&self, role: &str, key: &str, value: u32) -> Result<(), RecordError> {
        let line = format!("ip netns exec {} tee /proc/sys/net/{key}", self.name(role));
        run(&line, &value.to_string()).map(drop)
    }

    /// One host and its switch.
    fn attach(&self, role: &str, switch: &str, host: &Host) -> Result<(), RecordError> {
        let (near, far) = (self.name(role), self.name(switch));
        let [a, b, c, d] = host.address;
        let (own, gateway) = (mac(host.mac), mac(host.gateway));
        run(
            &format!(
                "ip link add {HOST_INTERFACE} netns {near} address {own} type veth \
                 peer name {HOST_INTERFACE} netns {far} address {gateway}"
            ),
            "",
        )?;
        run(&format!("ip -n {near} link set {HOST_INTERFACE} up"), "")?;
        run(&format!("ip -n {far} addr add {a}.{b}.{c}.1/24 dev {HOST_INTERFACE}"), "")?;
        run(&format!("ip -n {far} link set {HOST_INTERFACE} up"), "")?;
        run(
            &format!("ip -n {far} neigh add {a}.{b}.{c}.{d} lladdr {own} dev {HOST_INTERFACE} nud permanent"),
            "",
        )
        .map(drop)
    }

    /// One path between the switches.
    fn lay(&self, path: usize) -> Result<(), RecordError> {
        let (left, right) = (self.name("left"), self.name("right"));
        run(
            &format!(
                "ip link add p{path} netns {left} address {} type veth peer name p{path} netns {right} address {}",
                mac(path_mac(path, 1)),
                mac(path_mac(path, 2))
            ),
            "",
        )?;
        for (end, side) in [(&left, 1), (&right, 2)] {
            run(&format!("ip -n {end} addr add 10.78.{path}.{side}/24 dev p{path}"), "")?;
            run(&format!("ip -n {end} link set p{path} up"), "")?;
        }
        self.neighbour("left", path, 2)?;
        self.neighbour("right", path, 1)
    }

    fn neighbour(&self, role: &str, path: usize, side: u8) -> Result<(), RecordError> {
        let (name, mac) = (self.name(role), mac(path_mac(path, side)));
        run(
            &format!("ip -n {name} neigh replace 10.78.{path}.{side} lladdr {mac} dev p{path} nud permanent"),
            "",
        )
        .map(drop)
    }

    fn route(&self, role: &str, to: &Host, side: u8) -> Result<(), RecordError> {
        let [a, b, c, _] = to.address;
        let hops: String =
            (0..PATHS).map(|path| format!(" nexthop via 10.78.{path}.{side} dev p{path}")).collect();
        // towards the receiver the next hops are the right switch's addresses, and the other way round
        let hops = if role == "left" { hops.replace(".1 dev", ".2 dev") } else { hops };
        run(&format!("ip -n {} route replace {a}.{b}.{c}.0/24{hops}", self.name(role)), "").map(drop)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for role in ["sender", "left", "right", "receiver"] {
            if self.file(role).exists()
                && let Err(error) = run(&format!("ip netns del {}", self.name(role)), "")
            {
                eprintln!("{error}");
            }
        }
    }
}

/// Loses what is to be lost by chance, marks what comes beyond a path's share, and notes which EVs the hash
/// sent where.
fn rules(paths: &Paths) -> String {
    let mut sets = String::new();
    let mut marks = String::new();
    for path in 0..PATHS {
        let (share, burst, lost) = (paths.share(path), paths.mark_burst, paths.lost_per_mille[path]);
        if lost > 0 {
            marks += &format!("    oifname \"p{path}\" numgen random mod 1000 < {lost} drop\n");
        }
        sets += &format!(
            "  counter ce{path} {{ }}\n  set ev{path} {{ type inet_service; size 65536; flags dynamic; }}\n"
        );
        marks += &format!(
            "    oifname \"p{path}\" update @ev{path} {{ udp sport }}\n    oifname \"p{path}\" ip ecn ect0 \
             limit rate over {share}/second burst {burst} packets counter name ce{path} ip ecn set ce\n"
        );
    }
    format!(
        "table ip spray {{\n{sets}  chain forward {{\n    type filter hook forward priority 0; policy accept;\n{marks}  }}\n}}\n"
    )
}

/// The first object of that kind in nft's JSON.
fn find<'a>(json: &'a serde_json::Value, kind: &str) -> Option<&'a serde_json::Value> {
    json["nftables"].as_array()?.iter().find_map(|entry| entry.get(kind))
}

fn path_mac(path: usize, side: u8) -> [u8; 6] {
    [2, 0x78, 0, 0, path as u8, side]
}

fn mac(bytes: [u8; 6]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(":")
}

/// Device and inode of a namespace file: two files with the same are the same namespace.
pub fn identity(path: impl AsRef<Path>) -> Result<(u64, u64), RecordError> {
    let path = path.as_ref();
    let meta = fs::metadata(path)
        .map_err(|source| RecordError::Namespace { name: path.display().to_string(), source })?;
    Ok((meta.dev(), meta.ino()))
}
