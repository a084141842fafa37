//! UDP sockets of a host. A packet's EV is the source port of the socket that sends it, so each packet goes through a socket that is
//! bound to its EV.

use std::net::Ipv4Addr;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockType, SockaddrIn, bind, sendto, setsockopt, socket, sockopt,
};
use respray_golden::wire::Profile as Wire;

use crate::error::RecordError;
use crate::network::Host;
use crate::socket::enter;

/// A source port and what goes out of it.
type Request = (u16, Vec<u8>);

/// The sockets of one host, which a thread in its namespace opens.
pub struct Sockets {
    requests: Option<Sender<Request>>,
    done: Receiver<Result<(), RecordError>>,
    thread: Option<JoinHandle<()>>,
}

impl Sockets {
    /// Those of `from`, in its namespace. Packets carry this ECN codepoint and go to the profile's port of `to`.
    ///
    /// # Errors
    /// If the namespace cannot be entered, or the port at which packets come cannot be had.
    pub fn open(namespace: PathBuf, from: Host, to: Host, ecn: i32) -> Result<Sockets, RecordError> {
        let (requests, asked) = channel::<Request>();
        let (said, done) = channel();
        let thread = thread::spawn(move || {
            // whoever asks no more needs no answer
            let tell = |result| drop(said.send(result));
            let opened = enter(&namespace).and_then(|()| listening(&from));
            let Ok(_listening) = opened else { return tell(opened.map(|_| ())) };
            tell(Ok(()));
            while let Ok((port, payload)) = asked.recv() {
                tell(send(&from, &to, port, ecn, &payload));
            }
        });
        let sockets = Sockets { requests: Some(requests), done, thread: Some(thread) };
        sockets.wait()?;
        Ok(sockets)
    }

    /// Sends a packet from this port, and returns when the kernel has it.
    ///
    /// # Errors
    /// If there is no such socket.
    pub fn send(&self, port: u16, payload: Vec<u8>) -> Result<(), RecordError> {
        let requests = self.requests.as_ref().expect("it is open until it goes");
        // if the thread has ended, it has said why
        let _ = requests.send((port, payload));
        self.wait()
    }

    fn wait(&self) -> Result<(), RecordError> {
        self.done.recv().unwrap_or(Err(RecordError::Unseen))
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn failed(what: &'static str) -> impl Fn(Errno) -> RecordError {
    move |errno| RecordError::Socket { what, source: errno.into() }
}

/// A socket of this host at a port that another of its sockets may have, too.
fn bound(host: &Host, port: u16) -> Result<std::os::fd::OwnedFd, RecordError> {
    let socket = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)
        .map_err(failed("opening a UDP socket"))?;
    setsockopt(&socket, sockopt::ReuseAddr, &true).map_err(failed("sharing a UDP port"))?;
    let address = SockaddrIn::from(std::net::SocketAddrV4::new(Ipv4Addr::from(host.address), port));
    bind(socket.as_raw_fd(), &address).map_err(failed("binding a UDP socket to its EV"))?;
    Ok(socket)
}

/// The socket to which packets come. They are read at the interface, where they have the stamps of the capture; without the socket
/// the kernel would refuse them.
fn listening(host: &Host) -> Result<std::os::fd::OwnedFd, RecordError> {
    bound(host, Wire::Strack.udp_port())
}

fn send(from: &Host, to: &Host, port: u16, ecn: i32, payload: &[u8]) -> Result<(), RecordError> {
    let socket = bound(from, port)?;
    setsockopt(&socket, sockopt::Ipv4Tos, &ecn).map_err(failed("setting the ECN codepoint"))?;
    let to =
        SockaddrIn::from(std::net::SocketAddrV4::new(Ipv4Addr::from(to.address), Wire::Strack.udp_port()));
    sendto(socket.as_raw_fd(), payload, &to, MsgFlags::empty()).map_err(failed("sending a packet"))?;
    Ok(())
}
