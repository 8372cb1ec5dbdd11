//! The certificate of `cm serve`: from files, or one that it creates.

use std::net::SocketAddr;
use std::path::Path;

use cm_app::{Context, Result};
use cm_server::http::{SelfSigned, ServerTls, invalid_certificate, is_valid_for};

/// Private files of the certificate and its key.
const CERTIFICATE: &str = "tls-cert.pem";
const KEY: &str = "tls-key.pem";

/// Reads the certificate, followed by those that signed it, and its private key from PEM files.
///
/// # Errors
/// A file cannot be read or has no certificate or key, or the key is not the certificate's.
pub(super) fn from_files(certificate: &Path, key: &Path) -> Result<ServerTls> {
    let read = |path: &Path| {
        std::fs::read(path)
            .map_err(|error| invalid_certificate(format!("cannot read {}: {error}", path.display())))
    };
    ServerTls::from_pem(&read(certificate)?, &read(key)?)
}

/// Loads the certificate of the vault's private files; creates it the first time, and anew if it lacks
/// one of the names: those in `hosts`, the address and this machine.
///
/// # Errors
/// The private files cannot be read or written, or a host name is not valid.
pub(super) fn self_signed(context: &Context, address: SocketAddr, hosts: &[String]) -> Result<ServerTls> {
    let vault = &context.target().vault;
    let own = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let mut names: Vec<String> = hosts.iter().cloned().chain(own).collect();
    if !address.ip().is_unspecified() {
        names.push(address.ip().to_string());
    }
    names.sort();
    names.dedup();
    if let (Some(certificate), Some(key)) = (vault.read_private(CERTIFICATE)?, vault.read_private(KEY)?) {
        match missing_name(certificate.as_bytes(), &names)? {
            None => return ServerTls::from_pem(certificate.as_bytes(), key.as_bytes()),
            Some(name) => context.notice(format!(
                "the certificate was not valid for {name}, so there is a new one; clients that trust the former one need the new {CERTIFICATE}"
            )),
        }
    }
    let made = SelfSigned::new(names)?;
    vault.write_private(KEY, &made.key)?;
    vault.write_private(CERTIFICATE, &made.certificate)?;
    ServerTls::from_pem(made.certificate.as_bytes(), made.key.as_bytes())
}

/// Returns the first of these names for which a certificate is not valid.
fn missing_name<'a>(certificate: &[u8], names: &'a [String]) -> Result<Option<&'a String>> {
    for name in names {
        if !is_valid_for(certificate, name)? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}
