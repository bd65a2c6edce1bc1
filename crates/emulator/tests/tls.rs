//! HTTPS: the certificate is good for whoever trusts the authority, and for nobody else.

mod client;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use client::{PROD, contoso, parse};
use pullproof_emulator::{Emulator, FaultPlan, Options};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

fn ask(emulator: &Emulator, roots: RootCertStore) -> std::io::Result<Vec<u8>> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("protocol versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("127.0.0.1").expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).expect("a connection");
    let mut stream = StreamOwned::new(connection, TcpStream::connect(emulator.address())?);
    let head = format!(
        "GET {PROD}?api-version=2022-12-01 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer {}\r\n\r\n",
        emulator.token()
    );
    stream.write_all(head.as_bytes())?;
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        // hyper closes the connection without saying goodbye in TLS.
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(bytes),
        Err(error) => Err(error),
    }
}

#[test]
fn who_trusts_the_authority_gets_answers() {
    let options = Options { tls: true, ..Options::default() };
    let emulator = Emulator::start(contoso(), FaultPlan::default(), options).expect("it starts");
    assert!(emulator.base_url().starts_with("https://127.0.0.1:"));
    let pem = emulator.authority_pem().expect("an authority");
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(pem.as_bytes()).expect("a certificate")).expect("it is taken");
    let answer = parse(&ask(&emulator, roots).expect("bytes")).expect("an answer");
    assert_eq!(answer.status, 200);
    assert!(ask(&emulator, RootCertStore::empty()).is_err());
}
