//! Azure's clouds: where Azure Resource Manager and the token service are.

use azure_core::http::Url;

use crate::error::Error;

/// A cloud by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cloud {
    #[default]
    Public,
    UsGov,
    China,
}

impl Cloud {
    const fn hosts(self) -> (&'static str, &'static str) {
        match self {
            Self::Public => ("https://management.azure.com", "https://login.microsoftonline.com"),
            Self::UsGov => ("https://management.usgovcloudapi.net", "https://login.microsoftonline.us"),
            Self::China => ("https://management.chinacloudapi.cn", "https://login.chinacloudapi.cn"),
        }
    }
}

impl std::str::FromStr for Cloud {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "public" => Ok(Self::Public),
            "usgov" => Ok(Self::UsGov),
            "china" => Ok(Self::China),
            other => Err(format!("no cloud {other:?}: public, usgov or china")),
        }
    }
}

/// Where to ask.
#[derive(Clone, Debug)]
pub struct Endpoints {
    pub arm: Url,
    pub authority: Url,
}

impl Endpoints {
    /// The endpoints of a cloud, each replaced where one is given. Plain HTTP is taken on loopback only.
    pub fn new(cloud: Cloud, arm: Option<&str>, authority: Option<&str>) -> Result<Self, Error> {
        let (default_arm, default_authority) = cloud.hosts();
        Ok(Self {
            arm: checked("--arm-endpoint", arm.unwrap_or(default_arm))?,
            authority: checked("--authority", authority.unwrap_or(default_authority))?,
        })
    }

    /// The scope for which tokens are asked.
    pub(crate) fn audience(&self) -> String {
        // Emulators and stacks take tokens for their own host, as clouds do.
        format!("{}/.default", self.arm.as_str().trim_end_matches('/'))
    }

    /// Whether a link that an answer carries stays at the ARM endpoint.
    pub(crate) fn owns(&self, url: &Url) -> bool {
        url.origin() == self.arm.origin()
    }
}

fn checked(what: &'static str, text: &str) -> Result<Url, Error> {
    let wrong = |why: String| Error::Option {
        what,
        why,
        remedy: "give an https URL; http is taken for loopback addresses only",
    };
    let url = Url::parse(text).map_err(|error| wrong(format!("{text}: {error}")))?;
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        _ => Err(wrong(format!("{text} is not protected by TLS"))),
    }
}

/// True for a URL whose host is a loopback address or `localhost`.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_loopback_only() {
        assert!(Endpoints::new(Cloud::Public, Some("http://management.example"), None).is_err());
        assert!(Endpoints::new(Cloud::Public, None, Some("http://192.0.2.1")).is_err());
        assert!(Endpoints::new(Cloud::Public, Some("ftp://127.0.0.1"), None).is_err());
        assert!(Endpoints::new(Cloud::Public, Some("http://127.0.0.1.example.com"), None).is_err());
        for good in ["http://127.0.0.1:8080", "http://[::1]:9", "http://localhost", "https://arm.example"] {
            assert!(Endpoints::new(Cloud::Public, Some(good), None).is_ok(), "{good}");
        }
    }

    #[test]
    fn a_link_stays_at_scheme_host_and_port() {
        let ends = Endpoints::new(Cloud::Public, None, None).expect("endpoints");
        let owns = |url: &str| ends.owns(&Url::parse(url).expect("a URL"));
        assert!(owns("https://MANAGEMENT.azure.com/x?y=1"));
        assert!(!owns("http://management.azure.com/x"));
        assert!(!owns("https://management.azure.com:444/x"));
        assert!(!owns("https://management.azure.com.example.com/x"));
        assert!(!owns("https://management.azure.com@example.com/x"));
    }
}
