//! Serves the built page on a free port of this machine, under a strict Content-Security-Policy, and keeps a record of
//! what was asked for.
//!
//! The page is at `/` and again at [`UNDER_A_PATH`]; small pages of other people are at `/pages/`.

use anyhow::{Result, ensure};
use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::post,
};
use std::{
    env,
    net::Ipv4Addr,
    path::PathBuf,
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

/// What the server, or the host's policy, does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Nothing.
    None,
    /// The WASM is not there.
    NoWasm,
    /// The policy does not allow WASM to be compiled.
    NoWasmEval,
    /// The WASM has the type of a file that nobody knows.
    WrongType,
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
        let record = Record { flaw, asked: Mutex::default(), breaches: Mutex::default() };
        let record = Arc::new(record);
        let routes = routes(record.clone())?;
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

fn routes(record: Arc<Record>) -> Result<Router> {
    let dist = dist()?;
    let pages = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("pages");
    Ok(Router::new()
        .route("/csp-report", post(keep_breach))
        .nest_service("/pages", ServeDir::new(pages))
        .nest_service(UNDER_A_PATH.trim_end_matches('/'), ServeDir::new(&dist))
        .fallback_service(ServeDir::new(&dist))
        .layer(middleware::from_fn_with_state(record.clone(), answer))
        .with_state(record))
}

fn dist() -> Result<PathBuf> {
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
    let is_wasm = path.ends_with(".wasm");
    let mut response = match record.flaw {
        Flaw::NoWasm if is_wasm => StatusCode::NOT_FOUND.into_response(),
        Flaw::NoWasm | Flaw::NoWasmEval | Flaw::WrongType | Flaw::None => next.run(request).await,
    };
    let policy = match record.flaw {
        Flaw::NoWasmEval => POLICY.replace(" 'wasm-unsafe-eval'", ""),
        Flaw::NoWasm | Flaw::WrongType | Flaw::None => POLICY.to_owned(),
    };
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    if record.flaw == Flaw::WrongType && is_wasm {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    }
    let status = response.status().as_u16();
    record.asked.lock().unwrap_or_else(PoisonError::into_inner).push(Asked { path, host, status });
    response
}
