//! A network between client and server that can be cut or fall silent.

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// Forwards one connection in both directions until it is told otherwise.
#[derive(Clone, Default)]
pub struct Proxy {
    silent: Arc<AtomicBool>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    /// Stands before `server`; gives the address to connect to instead.
    pub fn before(&self, server: SocketAddr) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let proxy = self.clone();
        thread::spawn(move || {
            let (client, _) = listener.accept().unwrap();
            let server = TcpStream::connect(server).unwrap();
            for stream in [&client, &server] {
                stream.set_nodelay(true).unwrap();
                proxy.streams.lock().unwrap().push(stream.try_clone().unwrap());
            }
            let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            let silent = Arc::clone(&proxy.silent);
            thread::spawn(move || forward(from, to, &silent));
            forward(server, client, &proxy.silent);
        });
        address
    }

    /// Closes the connection to both sides, as the kernel of a process that died would.
    pub fn cut(&self) {
        for stream in self.streams.lock().unwrap().drain(..) {
            // The other side may have closed it already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Swallows everything from now on, as a network that is down would.
    pub fn fall_silent(&self) {
        self.silent.store(true, Ordering::Relaxed);
    }
}

/// Ends with the connection.
fn forward(mut from: TcpStream, mut to: TcpStream, silent: &AtomicBool) {
    let mut bytes = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        if !silent.load(Ordering::Relaxed) && to.write_all(&bytes[..length]).is_err() {
            break;
        }
    }
    // The other direction may have closed it already.
    let _ = to.shutdown(Shutdown::Write);
}
