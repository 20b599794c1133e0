package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.settings.binding.Tag;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every mistake is reported with its location, all of them at once. */
final class BadFilesTest {
  private static final String TYPES =
      Stream.of(ProviderSettings.class.getPermittedSubclasses())
          .map(type -> Objects.requireNonNull(type.getAnnotation(Tag.class)).value())
          .collect(Collectors.joining(", "));

  private static final String ORIGIN =
      "must be an origin such as https://app.example.com, without a path and without *";

  static Stream<Arguments> keys() {
    return Stream.of(
        bad("lissteners: {}", "2:1: lissteners: unknown key; did you mean listeners?"),
        bad("flux: {}", "2:1: flux: unknown key"),
        bad(
            "server:\n  shutdown:\n    timeuot: 1s",
            "4:5: server.shutdown.timeuot: unknown key; did you mean timeout?"),
        bad("server: {}\nserver: {}", "3:1: server: given twice, first at gateway.yaml:2:1"),
        bad("version: 1", "2:1: version: given twice, first at gateway.yaml:1:1"),
        bad(
            "server: {<<: {}}",
            "2:10: server.<<: merge keys are not supported; write the keys out"));
  }

  static Stream<Arguments> types() {
    return Stream.of(
        bad("server: 5", "2:9: server: must be a section of keys, not a single value"),
        bad("server: [a]", "2:9: server: must be a section of keys, not a list"),
        bad("models: [a]", "2:9: models: must be a section of named entries, not a list"),
        bad("catalogs: {a: b}", "2:11: catalogs: must be a list, not a section"),
        bad(
            "store: { pool: { max: many } }",
            "2:23: store.pool.max: must be a whole number, not \"many\""),
        bad(
            "store: { pool: { max: [1] } }",
            "2:23: store.pool.max: must be a whole number, not a list"),
        bad(
            "listeners: { api: { proxy_protocol: yes } }",
            "2:37: listeners.api.proxy_protocol: must be true or false, not \"yes\""),
        bad(
            "server: { shutdown: { delay: 5 } }",
            "2:30: server.shutdown.delay:"
                + " must be a duration such as 50ms, 30s, 10m, 24h or 7d, not \"5\""),
        bad(
            "listeners: { api: { max_request_bytes: 10MB } }",
            "2:40: listeners.api.max_request_bytes:"
                + " must be a size such as 32KiB, 10MiB or 1GiB, not \"10MB\""),
        bad(
            "listeners: { api: { address: 8080 } }",
            "2:30: listeners.api.address:"
                + " must be an address host:port such as 127.0.0.1:8080 or [::1]:8080, not \"8080\""),
        bad(
            "server: { transport: epol }",
            "2:22: server.transport: must be one of auto, epoll, nio, not \"epol\";"
                + " did you mean epoll?"),
        bad(
            "server: { event_loops: 0 }",
            "2:24: server.event_loops:" + " must be auto or a number of threads, not \"0\""),
        bad(
            "server: { transport: }",
            "2:21: server.transport: must not be empty; leave it out for the default auto"));
  }

  static Stream<Arguments> ranges() {
    return Stream.of(
        bad("store: { pool: { max: 0 } }", "2:23: store.pool.max: must be at least 1"),
        bad(
            "listeners: { api: { header_timeout: 1ms } }",
            "2:37: listeners.api.header_timeout: must be at least 10ms"),
        bad(
            "listeners: { api: { max_header_bytes: 2MiB } }",
            "2:39: listeners.api.max_header_bytes: must be at most 1MiB"),
        bad("store: { pool: { max: 9999999999 } }", "2:23: store.pool.max: is too large"));
  }

  static Stream<Arguments> listeners() {
    return Stream.of(
        bad(
            "listeners: { api: { http2: true } }",
            "2:28: listeners.api.http2: is not available yet:"
                + " it needs HTTP/2, which does not exist here yet"),
        bad(
            "listeners: { admin: { address: 0.0.0.0:9901 } }",
            "2:32: listeners.admin.address: is not on loopback and needs listeners.admin.token"),
        bad(
            "listeners: { admin: { address: 0.0.0.0:8080, token: t } }",
            "2:32: listeners.admin.address: is the address of listeners.api.address too"),
        bad(
            "listeners: { control: { address: 0.0.0.0:8081 } }",
            "2:34: listeners.control.address: is not on loopback and needs listeners.control.tls, an"
                + " https public_url, or allow_plain_http"),
        bad(
            "listeners: { control: { public_url: https://a.test/b } }",
            "2:37: listeners.control.public_url: must not have a path"),
        bad(
            "control_plane: { email: { smtp: 'smtp://mail.test:25' } }",
            "2:25: control_plane.email.from: is needed with control_plane.email.smtp"),
        bad(
            "listeners: { api: { trusted_proxies: ['*'] } }",
            "2:39: listeners.api.trusted_proxies[0]:"
                + " must not match all addresses: list the trusted ones"),
        bad(
            "listeners: { api: { trusted_proxies: [10.0.0.0/8, 0.0.0.0/0] } }",
            "2:51: listeners.api.trusted_proxies[1]:"
                + " must not match all addresses: list the trusted ones"),
        bad(
            "listeners: { api: { trusted_proxies: [10.0.0.0/33] } }",
            "2:39: listeners.api.trusted_proxies[0]:"
                + " must be an address or block such as 10.0.0.0/8, not \"10.0.0.0/33\""),
        bad(
            "listeners: { api: { health_path: /v1/x } }",
            "2:34: listeners.api.health_path: must not be a path of the API"),
        bad("listeners: { api: { cors: {} } }", "2:21: listeners.api.cors.origins: is missing"),
        bad(
            "listeners: { api: { cors: { origins: [] } } }",
            "2:38: listeners.api.cors.origins: must have at least 1 item"),
        badOrigin("'*'", ORIGIN + ", not \"*\""),
        badOrigin("'null'", ORIGIN + ", not \"null\""),
        badOrigin("https://a.test/", ORIGIN + ", not \"https://a.test/\""),
        badOrigin("https://a.test/b", ORIGIN + ", not \"https://a.test/b\""),
        badOrigin("https://*.a.test", ORIGIN + ", not \"https://*.a.test\""),
        badOrigin("a.test", ORIGIN + ", not \"a.test\""),
        badOrigin("https://A.test", "must be as browsers send it: https://a.test"),
        badOrigin("https://a.test:443", "must be as browsers send it: https://a.test"),
        bad(
            "listeners: { api: { cors: { origins: [https://a.test], max_age: 25h } } }",
            "2:65: listeners.api.cors.max_age: must be at most 24h"),
        bad(
            "listeners: { api: { tls: { certificate: a.pem } } }",
            "2:21: listeners.api.tls.private_key: is missing"));
  }

  static Stream<Arguments> store() {
    return Stream.of(
        bad(
            "store: { username: me }",
            "2:20: store.username: has no effect with the embedded store"),
        bad(
            "store: { url: postgres://db/x }",
            "2:15: store.url: must be embedded or jdbc:postgresql://host/database"),
        bad(
            "store: { url: 'jdbc:postgresql://db/x?user=a&password=b' }",
            "2:15: store.url: must not hold a user or password:"
                + " use store.username and store.password"));
  }

  static Stream<Arguments> ledger() {
    return Stream.of(
        bad(
            "redis: { url: redis-sentinel://h:26379 }",
            "2:15: redis.url: is not redis://host:port, rediss://host:port or"
                + " redis-sentinel://host:port#master"),
        bad(
            "ledger: { outage_grace: 1999ms }",
            "2:25: ledger.outage_grace: must be 0s or at least 2s"),
        bad(
            "ledger: { retention: { charges: 7d } }",
            "2:33: ledger.retention.charges: must be at least 8d"),
        bad(
            "ledger: { retention: { requests: 191h } }",
            "2:34: ledger.retention.requests.time: must be at least 8d"),
        bad(
            "ledger: { retention: { requests: 91d } }",
            "2:34: ledger.retention.requests.time: must not be longer than ledger.retention.charges"),
        bad(
            "media: { max_spool_bytes: 511MiB }",
            "2:27: media.max_spool_bytes: must be at least media.max_artifact_bytes"));
  }

  static Stream<Arguments> objectStorage() {
    return Stream.of(
        bad(
            "object_storage: {}",
            "2:17: object_storage:"
                + " needs a directory, or an endpoint with bucket, access_key and secret_key"),
        bad(
            "object_storage: { directory: ./o, bucket: pictures }",
            "2:43: object_storage.bucket: has no effect with a directory"),
        bad(
            "object_storage: { endpoint: https://s3.test, access_key: a, secret_key: b }",
            "2:17: object_storage: needs bucket"),
        bad(
            "object_storage: { endpoint: https://s3.test, bucket: pics, access_key: a }",
            "2:17: object_storage: needs secret_key"),
        bad(
            "object_storage: { endpoint: https://s3.test/pics, bucket: pics, access_key: a,"
                + " secret_key: b }",
            "2:29: object_storage.endpoint:"
                + " must have no path; path_style puts the bucket there"),
        bad(
            "object_storage: { endpoint: http://10.0.0.7:9000, bucket: pics, access_key: a,"
                + " secret_key: b }",
            "2:17: object_storage.path_style:"
                + " must be true where the endpoint is an address without a name"),
        bad(
            "object_storage: { endpoint: https://s3.test, bucket: my.pics, access_key: a,"
                + " secret_key: b }",
            "2:17: object_storage.path_style:"
                + " must be true for a bucket with dots: no certificate fits its host"),
        bad(
            "object_storage: { directory: ./o, image_retention: 24h }",
            "2:52: object_storage.image_retention: must be at least 25h"),
        bad(
            "object_storage: { directory: ./o, url_ttl: 2h }",
            "2:44: object_storage.url_ttl: must be at most 1h"),
        bad(
            "object_storage: { endpoint: https://s3.test, bucket: No, access_key: a,"
                + " secret_key: b }",
            "2:54: object_storage.bucket:"
                + " must be a bucket's name: 3 to 63 of a-z, 0-9, . and -, not \"No\""));
  }

  static Stream<Arguments> notYet() {
    return Stream.of(
        bad(
            "telemetry: { otlp_endpoint: http://c:4317 }",
            "2:29: telemetry.otlp_endpoint: is not available yet: it needs tracing"));
  }

  static Stream<Arguments> providers() {
    return Stream.of(
        bad(
            "providers: { a: { type: openai, base_url: http://h/v1, api_key: x, api_keys: [y] } }",
            "2:78: providers.a.api_keys: give either api_key or api_keys"),
        bad(
            "providers: { a: { type: openai, base_url: null } }",
            "2:43: providers.a.base_url: is required, unless a preset has an address"),
        bad(
            "providers: { a: { type: openai, base_url: http://h/v1, headers: { host: x } } }",
            "2:73: providers.a.headers.host: is written by Tollgate itself"),
        bad(
            "providers: { a: { type: openai, base_url: http://h/v1, headers: { Accept: x } } }",
            "2:75: providers.a.headers.Accept: is written by Tollgate itself"),
        bad(
            "providers: { a: { type: openai, base_url: http://h/v1, headers: { accept-encoding: x } } }",
            "2:84: providers.a.headers.accept-encoding: is written by Tollgate itself"),
        bad(
            "providers: { a: { type: openai, base_url: http://h/v1, api_key: k,"
                + " headers: { Authorization: x } } }",
            "2:94: providers.a.headers.Authorization: is set from the configured key"),
        bad(
            "providers: { a: { type: openai, base_url: http://h/v1, headers: { x-a: 1, X-A: 2 } } }",
            "2:80: providers.a.headers.X-A: is given twice"),
        bad(
            "providers: { a: { type: openai, base_url: http://h/v1, headers: { 'a b': x } } }",
            "2:74: providers.a.headers.a b: is not a header name"),
        bad(
            "providers: { a: { type: openai, base_url: http://h/v1, on_disconnect: drian } }",
            "2:71: providers.a.on_disconnect:"
                + " must be the word cancel or a section of keys, not a single value"),
        bad(
            "providers: { A: { type: mock } }",
            "2:14: providers.A: the key must be a name of a-z, 0-9, '.', '_' and '-', at most 64"),
        bad(
            "providers: { a: openai }",
            "2:17: providers.a: must be a section, not a single value"));
  }

  static Stream<Arguments> bootstrap() {
    return Stream.of(
        bad("bootstrap: { credit: -1 }", "2:22: bootstrap.credit: must not be negative"),
        bad(
            "bootstrap: { credit: 1.0000001 }",
            "2:22: bootstrap.credit: must have at most 6 decimals"),
        bad(
            "bootstrap: { api_key: sk-llm-short }",
            "2:23: bootstrap.api_key: is not of the form of an API key:"
                + " one printed by tollgate keys create, or null"));
  }

  static Stream<Arguments> yaml() {
    return Stream.of(
        bad(
            "store: *nowhere",
            "2:8: not valid YAML: no such anchor (a value that starts with * needs quotes)"),
        bad(
            "store: !secret x",
            "2:8: store: YAML tags are not supported (a value that starts with ! needs quotes)"),
        bad(
            "server: { transport: \"epoll }",
            "3:1: not valid YAML: the file ends inside quotes" + " or brackets"),
        bad(
            "store: { url: ${URL} }",
            "2:16: not valid YAML (special characters need quotes, and so does ${…} inside { }"
                + " or [ ])"),
        bad("store:\n\turl: x", "3:1: not valid YAML: tabs cannot indent, use spaces"));
  }

  private static Arguments bad(String yaml, String problem) {
    return Arguments.of(yaml, problem);
  }

  private static Arguments badOrigin(String origin, String problem) {
    return bad(
        "listeners: { api: { cors: { origins: [" + origin + "] } } }",
        "2:39: listeners.api.cors.origins[0]: " + problem);
  }

  @ParameterizedTest
  @MethodSource({
    "keys",
    "types",
    "ranges",
    "listeners",
    "store",
    "ledger",
    "objectStorage",
    "providers",
    "bootstrap",
    "yaml"
  })
  void aMistakeIsReportedWithItsPlace(String yaml, String problem) {
    assertThat(InMemoryConfig.of("version: 1\n" + yaml + "\n").problems())
        .containsExactly("gateway.yaml:" + problem);
  }

  @Test
  void aProviderWithoutARouteCausesAWarning() {
    String model =
        "models: { a/b: { modality: chat, price: free, routes: [{ provider: m, model: x }] } }";
    String kept = "version: 1\nproviders:\n  m: { type: mock }\n  n: { type: mock }\n";
    assertThat(InMemoryConfig.of(kept + model).warnings())
        .containsExactly("gateway.yaml:4:6: providers.n: is not used: no model has a route to it");
    assertThat(InMemoryConfig.of(kept).warnings()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("notYet")
  void whatDoesNothingYetIsAcceptedWithAWarning(String yaml, String warning) {
    assertThat(InMemoryConfig.of("version: 1\n" + yaml + "\n").warnings())
        .containsExactly("gateway.yaml:" + warning);
  }

  @ParameterizedTest
  @CsvSource({
    "'store: { url: jdbc:postgresql://db.example/gw }', store.url",
    "'store: { url: ''jdbc:postgresql://db/gw?sslmode=require'' }', store.url",
    "'store: { url: ''jdbc:postgresql://127.0.0.1,db/gw'' }', store.url",
    "'store: { url: jdbc:postgresql://localhost.example/gw }', store.url",
    "'store: { url: ''jdbc:postgresql://db/gw?sslmode=verify-full'' }',",
    "'store: { url: jdbc:postgresql://127.0.0.1:5432/gw }',",
    "'store: { url: ''jdbc:postgresql://[::1]/gw'' }',",
    "'listeners: { control: { address: 0.0.0.0:1, allow_plain_http: true } }',"
        + " listeners.control.address",
    "'listeners: { control: { address: 0.0.0.0:1, public_url: ''https://a.test'' } }',",
    "'redis: { url: redis://cache:6379 }', redis.url",
    "'redis: { url: ''redis://:word@127.0.0.1.example/0'' }', redis.url",
    "'redis: { url: ''redis-sentinel://:word@s1,s2#main'' }', redis.url",
    "'redis: { url: ''redis://:word@localhost'' }',",
    "'redis: { url: rediss://cache:6379 }',",
  })
  void connectionsThatOthersMayReadCauseAWarning(String yaml, @Nullable String key) {
    List<String> warnings = InMemoryConfig.of("version: 1\n" + yaml + "\n").warnings();
    if (key == null) {
      assertThat(warnings).isEmpty();
    } else {
      assertThat(warnings).singleElement().asString().contains(": " + key + ": ");
    }
  }

  @Test
  void urlsThatOtherMachinesCannotReachCauseAWarning() {
    String kept = "version: 1\nobject_storage: { directory: ./o }\n";
    assertThat(InMemoryConfig.of(kept).warnings())
        .containsExactly(
            "gateway.yaml:2:30: object_storage.directory: makes URLs of 127.0.0.1;"
                + " clients on other machines need listeners.api.base_url");
    assertThat(
            InMemoryConfig.of(kept + "listeners: { api: { base_url: https://a.test } }").warnings())
        .isEmpty();
    assertThat(InMemoryConfig.of(kept + "listeners: { api: { address: 127.0.0.1:80 } }").warnings())
        .isEmpty();
  }

  @Test
  void withoutAKeyTheAuthorizationIsTheOperators() {
    assertThat(
            InMemoryConfig.of(
                    """
                    version: 1
                    providers:
                      a:
                        type: openai
                        base_url: http://h/v1
                        headers: { Authorization: Basic eDp5, User-Agent: ours/1 }
                    """)
                .problems())
        .isEmpty();
  }

  @Test
  void aFileMustSayItsVersion() {
    assertThat(InMemoryConfig.of("server: {}").problems())
        .containsExactly("gateway.yaml:1:1: version: is missing: write 1");
    assertThat(InMemoryConfig.of("version: 2").problems())
        .containsExactly("gateway.yaml:1:10: version: must be at most 1");
    assertThat(InMemoryConfig.of("").problems())
        .containsExactly("gateway.yaml:1:1: version: is missing: write 1");
  }

  @Test
  void aFileThatIsNoMappingIsReportedOnce() {
    assertThat(InMemoryConfig.of("- a\n").problems())
        .containsExactly("gateway.yaml:1:1: must be a mapping of keys such as version and models");
  }

  @Test
  void allMistakesAreReportedAtOnceInTheOrderOfTheFile() {
    assertThat(
            InMemoryConfig.of(
                    """
                    version: 1
                    servr: {}
                    providers:
                      openai:
                        type: openai
                        base_ur: https://api.example.com/v1
                      azure: { type: bedrock }
                      other: { typ: openai }
                      weird: { type: opnai }
                    models:
                      acme/a:
                        modality: chat
                        price: { input: "0.1234567", output: "1" }
                        routes:
                          - { provider: opena, model: a }
                      acme/b:
                        modality: chta
                        routes: []
                      acme/c:
                        modality: chat
                        price: { input: "1" }
                        routes: [{ provider: azure, model: x }, { provider: azure, model: x }]
                      plain: { modality: chat, price: free, routes: [{ provider: other, model: m }] }
                    limits: { model: { overrides: { acme/cc: {} } } }
                    """)
                .problems())
        .isEqualTo(
            List.of(
                "gateway.yaml:2:1: servr: unknown key; did you mean server?",
                "gateway.yaml:5:5: providers.openai.base_url:"
                    + " is required, unless a preset has an address",
                "gateway.yaml:6:5: providers.openai.base_ur: unknown key; did you mean base_url?",
                "gateway.yaml:7:3: providers.azure.region: is missing",
                "gateway.yaml:8:3: providers.other.type: is missing: one of " + TYPES,
                "gateway.yaml:9:18: providers.weird.type: must be one of "
                    + TYPES
                    + "; did you mean openai?",
                "gateway.yaml:13:21: models.acme/a.price.input: must have at most 6 decimals",
                "gateway.yaml:15:21: models.acme/a.routes[0].provider:"
                    + " there is no provider opena; did you mean openai?",
                "gateway.yaml:16:3: models.acme/b.price: is missing",
                "gateway.yaml:17:15: models.acme/b.modality: must be one of chat, completion,"
                    + " embedding, speech, transcription, image, video, music, not \"chta\";"
                    + " did you mean chat?",
                "gateway.yaml:18:13: models.acme/b.routes: must have at least 1 item",
                "gateway.yaml:21:12: models.acme/c.price: does not price chat:"
                    + " give input and output, request alone, or write price: free",
                "gateway.yaml:22:45: models.acme/c.routes[1]: is the same route as one above",
                "gateway.yaml:23:3: models.plain: the key must be"
                    + " a model id <vendor>/<name> of visible ASCII",
                "gateway.yaml:24:42: limits.model.overrides.acme/cc: there is no such model;"
                    + " did you mean acme/c?"));
  }
}
