//! Packet sockets on a host's interface, opened inside its namespace.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::thread;

use nix::errno::Errno;
use nix::ifaddrs::getifaddrs;
use nix::sched::{CloneFlags, setns};
use nix::sys::socket::{
    AddressFamily, ControlMessageOwned, LinkAddr, MsgFlags, SockFlag, SockProtocol, SockType, bind, recvmsg,
    send, setsockopt, socket, sockopt,
};
use nix::sys::time::TimeSpec;

use crate::error::RecordError;
use crate::network::{HOST_INTERFACE, identity};

/// `PACKET_OUTGOING` of packet(7): a frame that this host sends.
const OUTGOING: u8 = 4;
/// Bytes that the kernel may hold for us.
const RECEIVE_BUFFER: usize = 8 << 20;

/// A host's interface: one socket that sends, and one that hears all that comes and goes.
pub struct Interface {
    sender: OwnedFd,
    tap: OwnedFd,
    buffer: Vec<u8>,
}

/// A frame that passed the interface.
pub struct Heard<'a> {
    /// Nanoseconds since 1970 by the kernel's stamp, the same that a capture of this interface shows.
    pub time_ns: u64,
    /// Whether this host sent it.
    pub outgoing: bool,
    /// The frame.
    pub data: &'a [u8],
}

impl Interface {
    /// Opens the host interface of a namespace.
    ///
    /// A thread of its own enters the namespace, makes sure of it, opens the sockets and ends; they stay bound to
    /// the namespace. The caller's thread never leaves its own.
    pub fn open(namespace: &Path) -> Result<Interface, RecordError> {
        thread::scope(|scope| scope.spawn(|| Interface::open_here(namespace)).join())
            .unwrap_or_else(|_| Err(RecordError::Outside { name: namespace.display().to_string() }))
    }

    fn open_here(namespace: &Path) -> Result<Interface, RecordError> {
        let name = namespace.display().to_string();
        let failed = |what| move |errno: Errno| RecordError::Socket { what, source: errno.into() };
        enter(namespace)?;
        let open = |protocol: Option<SockProtocol>| {
            let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
            socket(AddressFamily::Packet, SockType::Raw, flags, protocol)
                .map_err(failed("opening a packet socket"))
        };
        let mut address = None;
        for interface in getifaddrs().map_err(failed("listing the interfaces"))? {
            match interface.interface_name.as_str() {
                HOST_INTERFACE => {
                    address = address.or(interface.address.as_ref().and_then(|a| a.as_link_addr().copied()));
                }
                "lo" => {}
                // our namespaces have nothing else
                _ => return Err(RecordError::Outside { name }),
            }
        }
        let address: LinkAddr = address.ok_or(RecordError::Outside { name })?;
        let tap = open(Some(SockProtocol::EthAll))?;
        setsockopt(&tap, sockopt::RcvBufForce, &RECEIVE_BUFFER)
            .map_err(failed("enlarging the receive buffer"))?;
        setsockopt(&tap, sockopt::ReceiveTimestampns, &true).map_err(failed("asking for time stamps"))?;
        bind(tap.as_raw_fd(), &address).map_err(failed("binding a packet socket"))?;
        // without a protocol it hears nothing
        let sender = open(None)?;
        bind(sender.as_raw_fd(), &address).map_err(failed("binding a packet socket"))?;
        Ok(Interface { sender, tap, buffer: vec![0; 65536] })
    }

    /// Sends a frame.
    pub fn send(&self, frame: &[u8]) -> Result<(), RecordError> {
        match send(self.sender.as_raw_fd(), frame, MsgFlags::empty()) {
            Ok(_) => Ok(()),
            Err(errno) => Err(RecordError::Socket { what: "sending a frame", source: errno.into() }),
        }
    }

    /// The next frame that passed, `None` if there is none now.
    pub fn hear(&mut self) -> Result<Option<Heard<'_>>, RecordError> {
        let mut slices = [std::io::IoSliceMut::new(&mut self.buffer)];
        let failed = |errno: Errno| RecordError::Socket { what: "receiving a frame", source: errno.into() };
        let mut control = nix::cmsg_space!(TimeSpec);
        let tap = self.tap.as_raw_fd();
        let message = recvmsg::<LinkAddr>(tap, &mut slices, Some(&mut control), MsgFlags::empty());
        let message = match message {
            Err(Errno::EAGAIN | Errno::EINTR) => return Ok(None),
            other => other.map_err(failed)?,
        };
        let outgoing = message.address.is_some_and(|address| address.pkttype() == OUTGOING);
        let stamp = message.cmsgs().map_err(failed)?.find_map(|message| match message {
            ControlMessageOwned::ScmTimestampns(stamp) => Some(stamp),
            _ => None,
        });
        let time_ns = stamp.map_or(0, |stamp| stamp.tv_sec() as u64 * 1_000_000_000 + stamp.tv_nsec() as u64);
        let length = message.bytes;
        Ok(Some(Heard { time_ns, outgoing, data: &self.buffer[..length] }))
    }
}

/// The calling thread enters a namespace, and makes sure of it.
pub fn enter(namespace: &Path) -> Result<(), RecordError> {
    let name = namespace.display().to_string();
    let failed = |errno: Errno| RecordError::Socket { what: "entering the namespace", source: errno.into() };
    let outside = identity("/proc/self/ns/net")?;
    let file =
        File::open(namespace).map_err(|source| RecordError::Namespace { name: name.clone(), source })?;
    setns(file, CloneFlags::CLONE_NEWNET).map_err(failed)?;
    let here = identity("/proc/thread-self/ns/net")?;
    if here != identity(namespace)? || here == outside {
        return Err(RecordError::Outside { name });
    }
    Ok(())
}
