//! Serves the built page on a free port of this machine, under a strict Content-Security-Policy, and keeps a record of
//! what was asked for.
//!
//! The page is at `/` and again at [`UNDER_A_PATH`]; small pages of other people are at `/pages/`. Or else it is a host
//! of somebody's own, with the package in its folder `enroll-once`.

use anyhow::{Result, ensure};
use axum::{
    Router,
    body::to_bytes,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use std::{
    env,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
};
use tower_http::services::ServeDir;

/// Where the page is served a second time.
pub const UNDER_A_PATH: &str = "/under/a/path/";

/// What a strict host allows: its own files, and to compile WASM. A breach is reported to the server.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; base-uri 'none'; object-src 'none'; \
                      report-uri /csp-report";

/// What the server, or the host's policy, does otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Nothing.
    None,
    /// The WASM is not there.
    NoWasm,
    /// Half of the WASM is there.
    HalfAWasm,
    /// The WASM is of another build than its script.
    OtherWasm,
    /// The script of the WASM is not there.
    NoScript,
    /// The lab is not there.
    NoLab,
    /// The policy does not allow WASM to be compiled.
    NoWasmEval,
    /// The WASM has the type of a file that nobody knows.
    WrongType,
    /// There is no policy: pages may load from anywhere.
    NoPolicy,
    /// Pages of other origins may load everything (CORS).
    Shared,
    /// Pages of other origins may load everything but the WASM.
    SharedScripts,
}

impl Flaw {
    /// The answer to this path, with the flaw. Nothing: it is not there.
    fn apply(self, path: &str, body: Vec<u8>) -> Option<Vec<u8>> {
        let is_wasm = path.ends_with(".wasm");
        let gone = self == Self::NoLab && path.contains("enroll-once-lab")
            || self == Self::NoWasm && is_wasm
            || self == Self::NoScript && path.ends_with("enroll-once-web.js");
        if gone {
            None
        } else if self == Self::HalfAWasm && is_wasm {
            Some(body[..body.len() / 2].to_vec())
        } else if self == Self::OtherWasm && is_wasm {
            Some(of_another_build(body))
        } else {
            Some(body)
        }
    }

    fn policy(self) -> Option<String> {
        let not_allowed = if self == Self::NoWasmEval { " 'wasm-unsafe-eval'" } else { "" };
        (self != Self::NoPolicy).then(|| POLICY.replace(not_allowed, ""))
    }

    fn is_shared(self, path: &str) -> bool {
        self == Self::Shared || (self == Self::SharedScripts && !path.ends_with(".wasm"))
    }
}

/// The WASM as if it came from other sources. What its first import comes from is the digest of the build.
fn of_another_build(mut wasm: Vec<u8>) -> Vec<u8> {
    let first_import = b"\x01a\x00"; // a name of one letter, and the kind: a function
    let end = wasm.windows(3).position(|bytes| bytes == first_import).unwrap_or_default();
    let digest = wasm[end - 8..end].to_vec();
    for at in 0..wasm.len() - 8 {
        if wasm[at..].starts_with(&digest) {
            wasm[at] = if wasm[at] == b'0' { b'1' } else { b'0' };
        }
    }
    wasm
}

/// A request, and how it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// With its leading slash.
    pub path: String,
    /// The `Host` that it was meant for.
    pub host: String,
    /// The answer's status.
    pub status: u16,
}

/// A running server. It is gone when this is dropped.
pub struct Site {
    origin: String,
    record: Arc<Record>,
    _runtime: Runtime,
}

struct Record {
    flaw: Flaw,
    asked: Mutex<Vec<Asked>>,
    breaches: Mutex<Vec<String>>,
}

impl Site {
    /// Serves what was built.
    ///
    /// # Errors
    /// There is nothing built, or no port.
    pub fn start() -> Result<Self> {
        Self::with(Flaw::None)
    }

    /// Serves it with something wrong.
    ///
    /// # Errors
    /// There is nothing built, or no port.
    pub fn with(flaw: Flaw) -> Result<Self> {
        Self::of(flaw, page_routes()?)
    }

    /// Serves a host, a folder.
    ///
    /// # Errors
    /// There is no package, or no port.
    pub fn hosting(folder: &Path, flaw: Flaw) -> Result<Self> {
        // Browsers ask for an icon where a page names none.
        let routes = Router::new().route("/favicon.ico", get(|| async { StatusCode::OK }));
        let routes = routes.nest_service("/enroll-once", ServeDir::new(package()?));
        Self::of(flaw, routes.fallback_service(ServeDir::new(folder)))
    }

    /// Serves a folder, and of each file the `.br` beside it, if there is one.
    ///
    /// # Errors
    /// There is no port.
    pub fn compressed(folder: &Path) -> Result<Self> {
        Self::of(Flaw::None, Router::new().fallback_service(ServeDir::new(folder).precompressed_br()))
    }

    fn of(flaw: Flaw, routes: Router<Arc<Record>>) -> Result<Self> {
        let record = Record { flaw, asked: Mutex::default(), breaches: Mutex::default() };
        let record = Arc::new(record);
        let routes = routes
            .route("/csp-report", post(keep_breach))
            .layer(middleware::from_fn_with_state(record.clone(), answer))
            .with_state(record.clone());
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let origin = format!("http://{}", listener.local_addr()?);
        runtime.spawn(async { axum::serve(listener, routes).await });
        Ok(Self { origin, record, _runtime: runtime })
    }

    /// The address of a path, which begins with a slash.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// Every request so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.record.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the browser reported as against the policy.
    #[must_use]
    pub fn breaches(&self) -> Vec<String> {
        self.record.breaches.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn page_routes() -> Result<Router<Arc<Record>>> {
    let dist = dist()?;
    let pages = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("pages");
    Ok(Router::new()
        .nest_service("/pages", ServeDir::new(pages))
        .nest_service(UNDER_A_PATH.trim_end_matches('/'), ServeDir::new(&dist))
        .fallback_service(ServeDir::new(&dist)))
}

/// Where the package is that authors embed.
///
/// # Errors
/// It is not there.
pub fn package() -> Result<PathBuf> {
    let folder = dist()?.join("package");
    ensure!(
        folder.join("package.json").is_file(),
        "no package in {}: `cargo xtask package` makes it, and `cargo xtask test --only hosts` does both",
        folder.display()
    );
    Ok(folder)
}

/// Where the page is.
///
/// # Errors
/// It is not there.
pub fn dist() -> Result<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../dist");
    let dist = env::var_os("ENROLL_DIST").map_or_else(beside, PathBuf::from);
    ensure!(
        dist.join("index.html").is_file(),
        "no page in {}: `cargo xtask build` makes it, and `cargo xtask test --only end-to-end` does both",
        dist.display()
    );
    Ok(dist)
}

async fn keep_breach(State(record): State<Arc<Record>>, report: String) -> StatusCode {
    record.breaches.lock().unwrap_or_else(PoisonError::into_inner).push(report);
    StatusCode::NO_CONTENT
}

async fn answer(State(record): State<Arc<Record>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default()
        .to_owned();
    let (mut parts, body) = next.run(request).await.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let body =
        if parts.status.is_success() { record.flaw.apply(&path, body.into()) } else { Some(body.into()) };
    parts.headers.remove(header::CONTENT_LENGTH); // it may have changed
    let mut response = match body {
        Some(body) => Response::from_parts(parts, body.into()),
        None => StatusCode::NOT_FOUND.into_response(),
    };
    let headers = response.headers_mut();
    if let Some(policy) = record.flaw.policy()
        && let Ok(policy) = HeaderValue::from_str(&policy)
    {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    if record.flaw.is_shared(&path) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
    if record.flaw == Flaw::WrongType && path.ends_with(".wasm") {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    }
    let status = response.status().as_u16();
    record.asked.lock().unwrap_or_else(PoisonError::into_inner).push(Asked { path, host, status });
    response
}
