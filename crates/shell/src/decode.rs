//! Decoders for text that is encoded on the command line.

/// Decodes base64 in either alphabet; white space and padding are ignored. `None` if the result is
/// not UTF-8.
pub fn base64(text: &str) -> Option<String> {
    String::from_utf8(base64_bytes(text)?).ok()
}

/// Decodes base64 of UTF-16LE, the form that PowerShell's `-EncodedCommand` takes.
pub(crate) fn base64_utf16(text: &str) -> Option<String> {
    let bytes = base64_bytes(text)?;
    let (pairs, _) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    String::from_utf16(&units).ok()
}

fn base64_bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Some(bytes)
}

/// Decodes hexadecimal digits; white space is ignored. `None` if the result is not UTF-8.
pub fn hex(text: &str) -> Option<String> {
    let digits: Option<Vec<u32>> =
        text.chars().filter(|character| !character.is_whitespace()).map(|digit| digit.to_digit(16)).collect();
    let digits = digits?;
    let (pairs, _) = digits.as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| (high << 4 | low) as u8).collect();
    String::from_utf8(bytes).ok()
}
