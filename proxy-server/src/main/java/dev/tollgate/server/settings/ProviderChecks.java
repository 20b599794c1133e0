package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.settings.binding.SourceLocations;
import dev.tollgate.server.settings.value.ServiceAccount;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.SettingPaths;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks one provider. */
final class ProviderChecks {
  private static final String HEADER_NAME = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";

  private static final String CLOUD_NAME = "[a-z0-9][a-z0-9.:-]*";

  /** Headers that frame or route a request, or say what we can read: they are ours to write. */
  private static final Set<String> RESERVED_HEADERS =
      Set.of(
          "accept",
          "accept-encoding",
          "connection",
          "content-length",
          "content-type",
          "expect",
          "host",
          "keep-alive",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /** Members of a chat that it is nothing without, or that we write. */
  private static final Set<String> RESERVED_MEMBERS =
      Set.of("model", "messages", "stream", "stream_options", "routing", "provider");

  private static final Set<String> REQUIRED_MESSAGE_FIELDS =
      Set.of("role", "content", "tool_calls", "tool_call_id");

  private final SourceLocations locations;
  private final Problems problems;

  ProviderChecks(SourceLocations locations, Problems problems) {
    this.locations = locations;
    this.problems = problems;
  }

  void check(ProviderId id, ProviderSettings provider) {
    String path = SettingPaths.join("providers", id.value());
    switch (provider) {
      case ProviderSettings.OpenAi openAi -> {
        check(openAi, "authorization", path);
        checkAddress(openAi, path);
        checkQuirks(openAi.quirks(), path + ".quirks");
      }
      case ProviderSettings.Azure azure -> {
        check(azure, "api-key", path);
        checkQuirks(azure.quirks(), path + ".quirks");
      }
      case ProviderSettings.Anthropic anthropic -> {
        check(anthropic, "x-api-key", path);
        check(anthropic.quirks(), path);
      }
      case ProviderSettings.Gemini gemini -> {
        check(gemini, "x-goog-api-key", path);
        check(gemini.quirks(), path);
      }
      case ProviderSettings.Vertex vertex -> check(vertex, path);
      case ProviderSettings.Bedrock bedrock -> check(bedrock, path);
      case ProviderSettings.Cohere cohere -> check(cohere, "authorization", path);
      case ProviderSettings.Ollama ollama -> check(ollama, "authorization", path);
      case ProviderSettings.Mock _ -> {
        // Every key of it stands alone.
      }
    }
  }

  private void check(ProviderSettings.Vertex vertex, String path) {
    check(vertex, "authorization", path);
    check(vertex.quirks(), path);
    if (!vertex.project().matches(CLOUD_NAME)) {
      report(path + ".project", "is not a project's id");
    }
    if (!vertex.location().matches(CLOUD_NAME)) {
      report(path + ".location", "is not a location");
    }
    Secret account = vertex.serviceAccount();
    if (account != null && ServiceAccount.parse(account).isEmpty()) {
      report(path + ".service_account", "is not the JSON key of a service account");
    }
  }

  private void check(ProviderSettings.Bedrock bedrock, String path) {
    check(bedrock, "authorization", path);
    check(bedrock.quirks(), path);
    boolean hasAccessKey = bedrock.accessKey() != null;
    if (hasAccessKey != (bedrock.secretKey() != null)) {
      report(
          path + (hasAccessKey ? ".access_key" : ".secret_key"), "needs the other one beside it");
    } else if (!hasAccessKey && bedrock.sessionToken() != null) {
      report(path + ".session_token", "needs access_key and secret_key beside it");
    }
    if (hasAccessKey && (bedrock.apiKey() != null || !bedrock.apiKeys().isEmpty())) {
      report(path + ".access_key", "give either an access key or an API key");
    }
    checkVisibleAscii(bedrock.accessKey(), path + ".access_key");
    checkVisibleAscii(reveal(bedrock.secretKey()), path + ".secret_key");
    checkVisibleAscii(reveal(bedrock.sessionToken()), path + ".session_token");
    for (String name : bedrock.headers().keySet()) {
      if (name.toLowerCase(Locale.ROOT).startsWith("x-amz-")) {
        report(SettingPaths.join(path + ".headers", name), "would have to be signed");
      }
    }
  }

  private static @Nullable String reveal(@Nullable Secret secret) {
    return secret == null ? null : secret.reveal();
  }

  private void checkVisibleAscii(@Nullable String part, String path) {
    if (part != null && !part.matches("[!-~]+")) {
      report(path, "must be of visible ASCII");
    }
  }

  private void check(ProviderSettings.ModelQuirks quirks, String path) {
    switch (quirks.prefill()) {
      case NONE, MESSAGE -> {}
      case PREFIX, CONTINUE_FINAL_MESSAGE ->
          report(path + ".quirks.prefill", "must be none or message");
    }
  }

  private void checkAddress(ProviderSettings.OpenAi provider, String path) {
    boolean hasAddress =
        locations.isWritten(path + ".base_url") || provider.presetUrl().isPresent();
    if (!hasAddress) {
      report(path + ".base_url", "is required, unless a preset has an address");
    }
  }

  private void checkQuirks(ProviderSettings.Quirks quirks, String path) {
    for (String name : quirks.drop()) {
      if (RESERVED_MEMBERS.contains(name)) {
        report(path + ".drop", name + " is written by Tollgate itself");
      }
    }
    quirks
        .rename()
        .forEach(
            (name, other) -> {
              if (RESERVED_MEMBERS.contains(name) || RESERVED_MEMBERS.contains(other)) {
                report(SettingPaths.join(path + ".rename", name), "is written by Tollgate itself");
              }
            });
    for (String name : quirks.dropMessageFields()) {
      if (REQUIRED_MESSAGE_FIELDS.contains(name)) {
        report(path + ".drop_message_fields", name + " makes the message what it is");
      }
    }
  }

  private void check(ProviderSettings.Remote provider, String keyField, String path) {
    if (provider.apiKey() != null && !provider.apiKeys().isEmpty()) {
      report(path + ".api_keys", "give either api_key or api_keys");
    }
    if (provider.circuit().openForMax().compareTo(provider.circuit().openFor()) < 0) {
      report(path + ".circuit.open_for_max", "must not be shorter than open_for");
    }
    boolean hasKey =
        provider.apiKey() != null
            || !provider.apiKeys().isEmpty()
            || (provider instanceof ProviderSettings.Vertex vertex
                && vertex.serviceAccount() != null)
            || (provider instanceof ProviderSettings.Bedrock bedrock
                && bedrock.accessKey() != null);
    checkHeaders(provider.headers(), hasKey ? keyField : "", path + ".headers");
  }

  /**
   * @param keyField the field that carries the key; empty: there is none
   */
  private void checkHeaders(Map<String, Secret> headers, String keyField, String path) {
    Set<String> seen = new HashSet<>();
    for (String name : headers.keySet()) {
      String field = name.toLowerCase(Locale.ROOT);
      if (!name.matches(HEADER_NAME)) {
        report(SettingPaths.join(path, name), "is not a header name");
      } else if (RESERVED_HEADERS.contains(field)) {
        report(SettingPaths.join(path, name), "is written by Tollgate itself");
      } else if (field.equals(keyField)) {
        report(SettingPaths.join(path, name), "is written from the key beside it");
      } else if (!seen.add(field)) {
        report(SettingPaths.join(path, name), "is given twice");
      }
    }
  }

  private void report(String path, String message) {
    problems.add(locations.of(path), path, message);
  }
}
