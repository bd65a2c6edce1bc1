//! GitHub Actions: the workflow's own token is exchanged for one of Entra.

use azure_core::credentials::Secret;
use azure_core::error::ErrorKind;
use azure_core::http::ClientMethodOptions;
use azure_identity::ClientAssertion;
use serde::Deserialize;

const AUDIENCE: &str = "api://AzureADTokenExchange";

#[derive(Debug)]
pub(super) struct Github {
    pub url: String,
    pub token: Secret,
    pub client: reqwest::Client,
}

#[derive(Deserialize)]
struct Answer {
    value: String,
}

#[async_trait::async_trait]
impl ClientAssertion for Github {
    async fn secret(&self, _: Option<ClientMethodOptions<'_>>) -> azure_core::Result<String> {
        let wrong = |why: String| azure_core::Error::with_message(ErrorKind::Credential, why);
        let mut url = azure_core::http::Url::parse(&self.url)?;
        if url.scheme() != "https" && !crate::cloud::is_loopback(&url) {
            return Err(wrong("ACTIONS_ID_TOKEN_REQUEST_URL is not protected by TLS".into()));
        }
        url.query_pairs_mut().append_pair("audience", AUDIENCE);
        let answer = self.client.get(url).bearer_auth(self.token.secret()).send().await;
        let answer = answer.map_err(|error| wrong(error.without_url().to_string()))?;
        if !answer.status().is_success() {
            return Err(wrong(format!("GitHub answered {} for an id token", answer.status())));
        }
        let body = answer.bytes().await.map_err(|error| wrong(error.without_url().to_string()))?;
        let answer: Answer =
            serde_json::from_slice(&body).map_err(|_| wrong("GitHub's answer holds no id token".into()))?;
        Ok(answer.value)
    }
}
