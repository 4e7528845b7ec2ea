use std::os::unix::{ffi::OsStringExt, fs::symlink};

use super::*;

const SECRET: &str = "correct horse battery staple";

fn file_with(contents: &[u8], mode: u32) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    fs::write(&path, contents).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    (folder, path)
}

#[test]
fn generated_tokens_are_64_digits_and_differ() {
    let (first, second) = (Token::generate().unwrap(), Token::generate().unwrap());
    assert!(Hex32::from_digits(&first.0).is_some(), "{}", first.0);
    assert_ne!(first.0, second.0);
}

#[test]
fn debug_output_does_not_hold_the_secret() {
    let token = Token::from_text(SECRET, "test".into()).unwrap();
    assert_eq!(format!("{token:?}"), "Token(hidden)");
}

#[test]
fn a_written_token_is_private_and_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    let token = Token::generate().unwrap();
    token.write_new(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
    assert_eq!(Token::from_file(&path).unwrap().0, token.0);
}

#[test]
fn an_existing_file_or_dangling_link_is_not_overwritten() {
    let (folder, path) = file_with(b"kept", 0o600);
    let link = folder.path().join("link");
    symlink(folder.path().join("elsewhere"), &link).unwrap();
    for taken in [&path, &link] {
        let error = Token::generate().unwrap().write_new(taken).unwrap_err();
        assert!(
            matches!(&error, TokenError::Unwritable { source, .. } if source.kind() == io::ErrorKind::AlreadyExists),
            "{error}"
        );
    }
    assert_eq!(fs::read(&path).unwrap(), b"kept");
    assert!(!folder.path().join("elsewhere").exists());
}

#[test]
fn a_file_that_group_or_others_may_use_is_refused_with_what_to_do() {
    for mode in [0o640, 0o604, 0o620, 0o602, 0o610, 0o644] {
        let (_folder, path) = file_with(SECRET.as_bytes(), mode);
        let error = Token::from_file(&path).unwrap_err();
        assert!(
            matches!(error, TokenError::OpenToOthers { mode: found, .. } if found == mode),
            "{error}"
        );
        assert!(error.to_string().contains("chmod 600"), "{error}");
        assert!(!error.to_string().contains(SECRET), "{error}");
    }
    let (_folder, path) = file_with(SECRET.as_bytes(), 0o400);
    assert_eq!(Token::from_file(&path).unwrap().0, SECRET);
}

#[test]
fn empty_short_long_and_binary_files_are_distinct_errors() {
    let read = |contents: &[u8]| {
        let (_folder, path) = file_with(contents, 0o600);
        Token::from_file(&path).unwrap_err()
    };
    assert!(matches!(read(b" \n\t\n"), TokenError::Empty { .. }));
    assert!(matches!(
        read(b"fifteen letters\n"),
        TokenError::TooShort { characters: 15, minimum: 16, .. }
    ));
    assert!(matches!(read(&[b'a'; 5000]), TokenError::FileTooLong { .. }));
    assert!(matches!(read(&[0xff; 32]), TokenError::NotText { .. }));
}

#[test]
fn a_missing_file_and_a_directory_are_distinct_errors() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Token::from_file(&folder.path().join("absent")).unwrap_err();
    assert!(matches!(missing, TokenError::Unreadable { .. }), "{missing}");
    let directory = Token::from_file(folder.path()).unwrap_err();
    assert!(matches!(directory, TokenError::NotAFile { .. }), "{directory}");
}

#[test]
fn the_environment_gives_the_token_of_a_variable() {
    // Cargo sets this one for every test; it is longer than the shortest token.
    let token = Token::from_environment("CARGO_MANIFEST_DIR").unwrap();
    assert_eq!(token.0, env!("CARGO_MANIFEST_DIR"));
    let error = Token::from_environment("ONESIDED_NO_SUCH_VARIABLE").unwrap_err();
    assert!(matches!(error, TokenError::NotInEnvironment { .. }), "{error}");
    let error = Token::from_variable("T", Some(OsString::from_vec(vec![0xff; 20]))).unwrap_err();
    assert!(matches!(error, TokenError::NotText { .. }), "{error}");
    let error = Token::from_variable("T", Some("  ".into())).unwrap_err();
    assert!(matches!(error, TokenError::Empty { .. }), "{error}");
}

#[test]
fn proofs_agree_with_the_published_hmac_vector() {
    // RFC 4231, test case 2, has a key of four letters: shorter than a token, so it is built
    // directly.
    let token = Token("Jefe".into());
    let proof = token.authenticate(&[b"what do ya want ", b"for nothing?"]);
    assert_eq!(proof.digits(), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    assert!(token.verifies(&[b"what do ya want for nothing?"], &proof));
    assert!(!token.verifies(&[b"what do ya want for something?"], &proof));
}
