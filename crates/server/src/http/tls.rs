//! Encrypted connections: loads or creates the certificate of the server.

use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::client::verify_server_name;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::server::ParsedCertificate;

use cm_app::{Error, ErrorKind, Result};

/// The certificate of a server with its private key.
#[derive(Clone)]
pub struct ServerTls {
    pub(super) acceptor: TlsAcceptor,
    fingerprint: String,
}

/// A new certificate and its private key, as PEM.
pub struct SelfSigned {
    pub certificate: String,
    pub key: String,
}

impl ServerTls {
    /// Parses PEM texts: the certificate, followed by those that signed it, and its private key.
    ///
    /// # Errors
    /// There is no certificate or key, or the key is not the certificate's.
    pub fn from_pem(certificate: &[u8], key: &[u8]) -> Result<Self> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(certificate)
            .collect::<std::result::Result<_, _>>()
            .map_err(|error| invalid_certificate(format!("cannot read the certificate: {error}")))?;
        let first =
            chain.first().ok_or_else(|| invalid_certificate("the file has no certificate".to_owned()))?;
        let fingerprint = fingerprint(first);
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|error| invalid_certificate(format!("cannot read the private key: {error}")))?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key))
            .map_err(|error| invalid_certificate(error.to_string()))?;
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), fingerprint })
    }

    /// SHA-256 of the certificate, as pairs of hexadecimal digits with colons.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

/// Whether a certificate in PEM is valid for a host name or an address; true if the name is neither.
///
/// # Errors
/// There is no certificate, or it cannot be read.
pub fn is_valid_for(certificate: &[u8], name: &str) -> Result<bool> {
    let unreadable = |error: String| invalid_certificate(format!("cannot read the certificate: {error}"));
    let der = CertificateDer::from_pem_slice(certificate).map_err(|error| unreadable(error.to_string()))?;
    let parsed = ParsedCertificate::try_from(&der).map_err(|error| unreadable(error.to_string()))?;
    let Ok(name) = ServerName::try_from(name) else { return Ok(true) };
    Ok(verify_server_name(&parsed, &name).is_ok())
}

impl SelfSigned {
    /// Creates a certificate for these host names and addresses.
    ///
    /// # Errors
    /// A name is not valid.
    pub fn new(names: Vec<String>) -> Result<Self> {
        let made = rcgen::generate_simple_self_signed(names)
            .map_err(|error| invalid_certificate(error.to_string()))?;
        Ok(Self { certificate: made.cert.pem(), key: made.signing_key.serialize_pem() })
    }
}

fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    use sha2::Digest as _;
    let pairs =
        sha2::Sha256::digest(certificate).iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>();
    pairs.join(":")
}

/// The error for a certificate that cannot be used.
pub fn invalid_certificate(message: String) -> Error {
    Error::new(ErrorKind::Usage, "tls", message)
        .hint("pass a PEM certificate with --tls-cert and its key with --tls-key, or --tls-self-signed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_that_knows_the_certificate_is_answered() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        use tokio_rustls::TlsConnector;
        use tokio_rustls::rustls::{ClientConfig, RootCertStore};
        let made = SelfSigned::new(vec!["localhost".to_owned()]).unwrap();
        let tls = ServerTls::from_pem(made.certificate.as_bytes(), made.key.as_bytes()).unwrap();
        let (here, there) = tokio::io::duplex(64 << 10);
        let served = tokio::spawn(async move {
            let mut stream = tls.acceptor.accept(there).await.unwrap();
            stream.write_all(b"hello").await.unwrap();
            stream.shutdown().await.unwrap();
        });
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(made.certificate.as_bytes()).unwrap()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = TlsConnector::from(Arc::new(config));
        let mut stream = connector.connect(ServerName::try_from("localhost").unwrap(), here).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "hello");
        served.await.unwrap();
    }

    #[test]
    fn a_certificate_is_valid_for_its_names_alone() {
        let names = ["localhost", "memory.example", "127.0.0.1"].map(str::to_owned);
        let made = SelfSigned::new(names.to_vec()).unwrap();
        let is_valid = |name: &str| is_valid_for(made.certificate.as_bytes(), name).unwrap();
        assert!(names.iter().all(|name| is_valid(name)));
        assert!(!is_valid("other.example") && !is_valid("127.0.0.2"));
        assert!(is_valid_for(b"", "localhost").is_err());
    }

    #[test]
    fn a_certificate_needs_its_own_key() {
        let names = || vec!["localhost".to_owned()];
        let (one, other) = (SelfSigned::new(names()).unwrap(), SelfSigned::new(names()).unwrap());
        let tls = ServerTls::from_pem(one.certificate.as_bytes(), one.key.as_bytes()).unwrap();
        assert_eq!(tls.fingerprint().len(), 32 * 3 - 1);
        let refused = |certificate: &str, key: &str| {
            ServerTls::from_pem(certificate.as_bytes(), key.as_bytes()).err().map(|error| error.code)
        };
        assert_eq!(refused(&one.certificate, &other.key), Some("tls"));
        assert_eq!(refused("", &one.key), Some("tls"));
        assert_eq!(refused(&one.certificate, "no key"), Some("tls"));
    }
}
