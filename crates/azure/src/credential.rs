//! Who asks: `--auth`, and the order in which `auto` tries.

mod certificate;
mod federated;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use azure_core::cloud::{CloudConfiguration, CustomConfiguration};
use azure_core::credentials::{AccessToken, Secret, TokenCredential, TokenRequestOptions};
use azure_core::http::{ClientOptions, Transport};
use azure_identity::{
    AzureCliCredential, AzureCliCredentialOptions, AzurePipelinesCredential, AzurePipelinesCredentialOptions,
    ClientAssertionCredential, ClientAssertionCredentialOptions, ClientSecretCredential,
    ClientSecretCredentialOptions, ManagedIdentityCredential, ManagedIdentityCredentialOptions,
    UserAssignedId, WorkloadIdentityCredential, WorkloadIdentityCredentialOptions,
};
use tokio::sync::Mutex;

use crate::cloud::Endpoints;
use crate::error::Error;
use crate::progress::{Event, Progress};

/// `--auth`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Auth {
    /// Environment, workload identity, managed identity, Azure CLI: the first that gives a token.
    #[default]
    Auto,
    Cli,
    ManagedIdentity,
    WorkloadIdentity,
    Pipelines,
    ClientSecret,
    ClientCertificate,
    GithubOidc,
}

/// Names as the command line writes them.
pub const AUTHS: &[(&str, Auth)] = &[
    ("auto", Auth::Auto),
    ("cli", Auth::Cli),
    ("managed-identity", Auth::ManagedIdentity),
    ("workload-identity", Auth::WorkloadIdentity),
    ("pipelines", Auth::Pipelines),
    ("client-secret", Auth::ClientSecret),
    ("client-certificate", Auth::ClientCertificate),
    ("github-oidc", Auth::GithubOidc),
];

impl std::str::FromStr for Auth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = AUTHS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        found.map(|(_, auth)| *auth).ok_or_else(|| {
            let names: Vec<&str> = AUTHS.iter().map(|(name, _)| *name).collect();
            format!("no credential {text:?}: {}", names.join(", "))
        })
    }
}

/// A service principal that is given in place of `AZURE_TENANT_ID`, `AZURE_CLIENT_ID` and `AZURE_CLIENT_SECRET`.
#[derive(Clone, Debug)]
pub struct Principal {
    pub tenant: String,
    pub client: String,
    /// Never printed.
    pub secret: Secret,
}

/// How long one kind may take in `auto` before the next is tried: off Azure, nobody answers for managed identities.
const PATIENCE: Duration = Duration::from_secs(4);

/// Makes a credential. Made again when Azure refuses its token before its time.
pub(crate) struct Maker {
    pub auth: Auth,
    pub principal: Option<Principal>,
    pub endpoints: Endpoints,
    pub transport: Transport,
    pub client: reqwest::Client,
    pub progress: Progress,
}

impl Maker {
    pub(crate) fn make(&self) -> Result<Arc<dyn TokenCredential>, Error> {
        if self.auth != Auth::Auto {
            let name = AUTHS.iter().find(|(_, auth)| *auth == self.auth).map_or("", |(name, _)| name);
            (self.progress)(&Event::Credential(name));
            return self.one(self.auth).map_err(|why| self.refused(why));
        }
        let mut chain = Vec::new();
        let mut reasons = Vec::new();
        let environment =
            if env("AZURE_CLIENT_SECRET").is_ok() { Auth::ClientSecret } else { Auth::ClientCertificate };
        for (name, auth) in [
            ("environment", environment),
            ("workload-identity", Auth::WorkloadIdentity),
            ("managed-identity", Auth::ManagedIdentity),
            ("cli", Auth::Cli),
        ] {
            match self.one(auth) {
                Ok(credential) => chain.push((name, credential)),
                Err(why) => reasons.push(format!("{name}: {why}")),
            }
        }
        Ok(Arc::new(Chain { chain, reasons, chosen: Mutex::new(None), progress: Arc::clone(&self.progress) }))
    }

    fn refused(&self, why: String) -> Error {
        Error::Credential { audience: self.endpoints.audience(), why }
    }

    fn options(&self) -> ClientOptions {
        let mut cloud = CustomConfiguration::default();
        // Credentials take https only; the transport speaks plain HTTP where the authority is on loopback.
        let mut authority = self.endpoints.authority.clone();
        let _ = authority.set_scheme("https");
        cloud.authority_host = authority.to_string();
        ClientOptions {
            transport: Some(self.transport.clone()),
            cloud: Some(Arc::new(CloudConfiguration::from(cloud))),
            ..ClientOptions::default()
        }
    }

    fn one(&self, auth: Auth) -> Result<Arc<dyn TokenCredential>, String> {
        let assertion = || ClientAssertionCredentialOptions { client_options: self.options() };
        let tenant = || env("AZURE_TENANT_ID");
        let client = || env("AZURE_CLIENT_ID");
        let made: azure_core::Result<Arc<dyn TokenCredential>> = match auth {
            Auth::Auto => return self.make().map_err(|error| error.to_string()),
            Auth::Cli => {
                let options = AzureCliCredentialOptions {
                    tenant_id: tenant().ok(),
                    ..AzureCliCredentialOptions::default()
                };
                AzureCliCredential::new(Some(options)).map(|made| made as _)
            }
            Auth::ManagedIdentity => {
                let user_assigned_id = client().ok().map(UserAssignedId::ClientId);
                let options = ManagedIdentityCredentialOptions {
                    user_assigned_id,
                    client_options: ClientOptions {
                        transport: Some(self.transport.clone()),
                        ..ClientOptions::default()
                    },
                };
                ManagedIdentityCredential::new(Some(options)).map(|made| made as _)
            }
            Auth::WorkloadIdentity => {
                env("AZURE_FEDERATED_TOKEN_FILE")?;
                let options = WorkloadIdentityCredentialOptions {
                    credential_options: assertion(),
                    ..WorkloadIdentityCredentialOptions::default()
                };
                WorkloadIdentityCredential::new(Some(options)).map(|made| made as _)
            }
            Auth::Pipelines => {
                let connection = env("AZURESUBSCRIPTION_SERVICE_CONNECTION_ID")
                    .or_else(|_| env("AZURE_SERVICE_CONNECTION_ID"))?;
                let tenant = env("AZURESUBSCRIPTION_TENANT_ID").or_else(|_| tenant())?;
                let client = env("AZURESUBSCRIPTION_CLIENT_ID").or_else(|_| client())?;
                let token = Secret::new(env("SYSTEM_ACCESSTOKEN")?);
                let options = AzurePipelinesCredentialOptions { credential_options: assertion() };
                AzurePipelinesCredential::new(tenant, client, &connection, token, Some(options))
                    .map(|made| made as _)
            }
            Auth::ClientSecret => {
                let options = ClientSecretCredentialOptions { client_options: self.options() };
                let principal = match &self.principal {
                    Some(given) => given.clone(),
                    None => Principal {
                        tenant: tenant()?,
                        client: client()?,
                        secret: Secret::new(env("AZURE_CLIENT_SECRET")?),
                    },
                };
                let Principal { tenant, client, secret } = principal;
                ClientSecretCredential::new(&tenant, client, secret, Some(options)).map(|made| made as _)
            }
            Auth::ClientCertificate => {
                let path = PathBuf::from(env("AZURE_CLIENT_CERTIFICATE_PATH")?);
                let (tenant, client) = (tenant()?, client()?);
                let audience = self.endpoints.authority.join(&format!("/{tenant}/oauth2/v2.0/token"));
                let audience = audience.map_err(|error| error.to_string())?;
                let signer = certificate::Signer::read(&path, client.clone(), audience.to_string())?;
                ClientAssertionCredential::new(tenant, client, signer, Some(assertion()))
                    .map(|made| made as _)
            }
            Auth::GithubOidc => {
                let federated = federated::Github {
                    url: env("ACTIONS_ID_TOKEN_REQUEST_URL")?,
                    token: Secret::new(env("ACTIONS_ID_TOKEN_REQUEST_TOKEN")?),
                    client: self.client.clone(),
                };
                ClientAssertionCredential::new(tenant()?, client()?, federated, Some(assertion()))
                    .map(|made| made as _)
            }
        };
        made.map_err(|error| error.to_string())
    }
}

fn env(name: &str) -> Result<String, String> {
    match std::env::var(name) {
        Ok(value) if !value.is_empty() => Ok(value),
        _ => Err(format!("{name} is not set")),
    }
}

/// `auto`.
struct Chain {
    chain: Vec<(&'static str, Arc<dyn TokenCredential>)>,
    /// Why the others are not in it.
    reasons: Vec<String>,
    chosen: Mutex<Option<usize>>,
    progress: Progress,
}

impl std::fmt::Debug for Chain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.chain.iter().map(|(name, _)| name)).finish()
    }
}

#[async_trait::async_trait]
impl TokenCredential for Chain {
    async fn get_token(
        &self,
        scopes: &[&str],
        options: Option<TokenRequestOptions<'_>>,
    ) -> azure_core::Result<AccessToken> {
        let mut chosen = self.chosen.lock().await;
        if let Some((_, credential)) = chosen.and_then(|i| self.chain.get(i)) {
            return credential.get_token(scopes, options).await;
        }
        let mut reasons = self.reasons.clone();
        for (i, (name, credential)) in self.chain.iter().enumerate() {
            match tokio::time::timeout(PATIENCE, credential.get_token(scopes, None)).await {
                Ok(Ok(token)) => {
                    (self.progress)(&Event::Credential(name));
                    *chosen = Some(i);
                    return Ok(token);
                }
                Ok(Err(error)) => reasons.push(format!("{name}: {error}")),
                Err(_) => reasons.push(format!("{name}: no answer within {} s", PATIENCE.as_secs())),
            }
        }
        Err(azure_core::Error::with_message(azure_core::error::ErrorKind::Credential, reasons.join("; ")))
    }
}
