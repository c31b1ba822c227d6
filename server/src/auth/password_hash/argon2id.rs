//! Argon2id with OWASP's parameters, in memory that the caller keeps.

pub(super) use argon2::password_hash::Error;
use argon2::password_hash::generate_salt;
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};

/// OWASP's parameters: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// A hash of those parameters that no password matches: verifying it takes as long as verifying a
/// real one.
const UNMATCHABLE: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The memory of one run. A run overwrites it before it reads it.
#[derive(Default)]
pub(super) struct Memory(Vec<Block>);

/// The PHC text of a password, with a new salt.
pub(super) fn phc_text(password: &[u8], memory: &mut Memory) -> Result<String, Error> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None)?;
    let salt = Salt::new(&generate_salt())?;
    let (algorithm, version) = (Algorithm::Argon2id, Version::V0x13);
    let text = ParamsString::try_from(&params)?;
    let hash = output(Argon2::new(algorithm, version, params), password, &salt, memory)?;
    let (version, salt, hash) = (Some(version.into()), Some(salt), Some(hash));
    Ok(PasswordHash { algorithm: algorithm.ident(), version, params: text, salt, hash }.to_string())
}

/// Whether a password matches a stored PHC text, by the parameters in the text. Without one it does
/// not, and takes as long.
pub(super) fn matches(stored: Option<&str>, password: &[u8], memory: &mut Memory) -> Result<bool, Error> {
    let phc = PasswordHash::new(stored.unwrap_or(UNMATCHABLE))?;
    let (Some(salt), Some(expected)) = (&phc.salt, &phc.hash) else { return Ok(false) };
    let algorithm = Algorithm::try_from(phc.algorithm.as_str())?;
    let version = phc.version.map_or(Ok(Version::default()), Version::try_from)?;
    let argon2 = Argon2::new(algorithm, version, Params::try_from(&phc)?);
    // The comparison of outputs takes constant time.
    let equal = output(argon2, password, salt, memory)? == *expected;
    Ok(equal && stored.is_some())
}

fn output(argon2: Argon2, password: &[u8], salt: &[u8], memory: &mut Memory) -> Result<Output, Error> {
    let params = argon2.params();
    memory.0.resize(params.block_count(), Block::new());
    let mut out = [0; Output::MAX_LENGTH];
    let out = &mut out[..params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN)];
    argon2.hash_password_into_with_memory(password, salt, out, &mut memory.0)?;
    Ok(Output::new(out)?)
}
