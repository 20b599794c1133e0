package dev.tollgate.server.acceptance;

import static dev.tollgate.server.acceptance.WatchedClient.reply;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.account.signin.ControlTokens;
import dev.tollgate.server.account.signin.RandomSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Passwords, cookies, tokens, links and keys of the control plane are in no log, no table, no error
 * and no reply but that which hands them out. Mails that have become files hold links: for that
 * they are there.
 */
@Tag("chaos")
class ControlSecretsIT {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Pattern DASHBOARD =
      Pattern.compile("dashboard\\s+http://[^:]+:(\\d+)/setup#(\\S+)");

  private final WatchedSecrets secrets = new WatchedSecrets();
  private NodeFolder folder;
  private GatewayProcess node;
  private WatchedClient client;
  private String link;

  @BeforeEach
  void start() throws Exception {
    folder = NodeFolder.with(ConfigBuilder.empty());
    byte[] master = new byte[32];
    new SecureRandom().nextBytes(master);
    folder.writeText(
        """
        version: 1
        listeners:
          api: { address: "127.0.0.1:0" }
          control: { address: "127.0.0.1:0", trusted_proxies: [127.0.0.1/32] }
          admin: { address: "127.0.0.1:%d" }
        server: { event_loops: 1, shutdown: { delay: 0s, timeout: 2s } }
        store: { url: embedded, data_dir: ./data, master_keys: ["%s"] }
        control_plane: { signup: open }
        providers:
          mock: { type: mock, ttft: 0ms, chunk_interval: 0ms, chunks: 4 }
        models:
          test/chat: { modality: chat, price: free, routes: [ { provider: mock, model: chat } ] }
        """
            .formatted(
                folder.adminPort(),
                secrets.watch("master key", Base64.getEncoder().encodeToString(master))));
    node = GatewayProcess.start(folder);
    String line = node.out().await(each -> DASHBOARD.matcher(each).find(), SOON).orElseThrow();
    Matcher dashboard = DASHBOARD.matcher(line);
    assertThat(dashboard.find()).isTrue();
    int port = Integer.parseInt(dashboard.group(1));
    client = new WatchedClient(secrets, port, folder.dataDir().resolve("mail"));
    link = dashboard.group(2);
  }

  @AfterEach
  void stop() {
    node.close();
    folder.close();
  }

  @Test
  void noSecretStaysWhereItWasNotHandedOut() throws Exception {
    setUp();
    signUpAndReset();
    String org = reply(client.get("/session")).at("/memberships/0/org/id").asText();
    keys(org);
    webhooks(org);
    invite(org);
    token(org);
    misuse(org);
    read(org);
    assertThat(client.call("POST", "/auth/sign-out", null).status()).isEqualTo(204);
    awaitSent();

    assertThat(secrets.count()).isGreaterThan(25);
    assertThat(client.errors).hasSizeGreaterThan(20);
    client.errors.forEach(each -> secrets.requireNoneIn("an error", each));
    client.readings.forEach(each -> secrets.requireNoneIn("a reply", each));
    requireNoneInTables();
    requireNoneInFiles();
    node.terminate();
    node.awaitExit();
    secrets.requireNoneIn("the log", node.err().text());
    assertThat(
            client.mails().stream()
                .map(WatchedClient::text)
                .flatMap(each -> secrets.in(each).stream()))
        .as("the search finds what is there")
        .contains("verify link", "reset link", "invitation link", "address link");
  }

  // The walk

  private void setUp() throws Exception {
    String token = secrets.watch("set-up link", link);
    String guess = secrets.watch("guessed set-up link", "guessed-set-up-link-canary");
    String password = client.password("first password");
    String body = "{'token':'%s','email':'ann@example.com','password':'%s','name':'Ann'}";
    client.refused(401, "/setup", body.formatted(guess, password));
    assertThat(client.post("/setup", body.formatted(token, password)).status()).isEqualTo(201);
    client.refused(404, "/setup", body.formatted(token, password));

    String credentials = "{'email':'%s','password':'%s'}";
    client.refused(
        401, "/auth/sign-in", credentials.formatted("ann@example.com", client.password("typo")));
    client.refused(
        401,
        "/auth/sign-in",
        credentials.formatted(client.password("password as address"), password));
    assertThat(
            client
                .post("/auth/sign-in", credentials.formatted("ann@example.com", password))
                .status())
        .isEqualTo(200);
    client.refused(
        401, "/session/reauthenticate", "{'password':'" + client.password("wrong proof") + "'}");
    assertThat(client.post("/session/reauthenticate", "{'password':'" + password + "'}").status())
        .isEqualTo(204);
    String changed = client.password("changed password");
    assertThat(
            client
                .post("/me/password", "{'current':'%s','new':'%s'}".formatted(password, changed))
                .status())
        .isEqualTo(204);
    client.refused(401, "/me/password", "{'current':'%s','new':'%s'}".formatted(password, changed));
  }

  private void signUpAndReset() throws Exception {
    @Nullable String ann = client.cookie;
    client.cookie = null;
    String password = client.password("new account's password");
    String body = "{'email':'bob@example.com','password':'%s','name':'Bob'}".formatted(password);
    assertThat(client.post("/auth/sign-up", body).status()).isEqualTo(202);
    String credentials = "{'email':'bob@example.com','password':'%s'}";
    client.refused(403, "/auth/sign-in", credentials.formatted(password));
    String verify =
        "{'token':'" + client.link("verify link", "verify-email", "bob@example.com") + "'}";
    assertThat(client.post("/auth/email/verify", verify).status()).isEqualTo(204);
    client.refused(400, "/auth/email/verify", verify);

    // The pause between two mails of one address is over.
    database("DELETE FROM sign_in_throttle");
    assertThat(client.post("/auth/password/forgot", "{'email':'bob@example.com'}").status())
        .isEqualTo(202);
    String reset = client.link("reset link", "reset-password", "bob@example.com");
    String next = client.password("reset password");
    String request = "{'token':'%s','password':'%s'}";
    client.refused(400, "/auth/password/reset", request.formatted(reset, "bob@example.com"));
    assertThat(client.post("/auth/password/reset", request.formatted(reset, next)).status())
        .isEqualTo(204);
    client.refused(400, "/auth/password/reset", request.formatted(reset, next));
    assertThat(client.post("/auth/sign-in", credentials.formatted(next)).status()).isEqualTo(200);
    assertThat(client.post("/me/email", "{'email':'rob@example.com'}").status()).isEqualTo(202);
    String moved = client.link("address link", "change-email", "rob@example.com");
    assertThat(client.post("/auth/email/verify", "{'token':'" + moved + "'}").status())
        .isEqualTo(204);
    client.cookie = ann;
  }

  private void keys(String org) throws Exception {
    String keys = "/orgs/" + org + "/keys";
    String once = "Idempotency-Key: keys-1";
    JsonNode made = reply(client.call("POST", keys, "{'name':'app'}", once));
    String first = secrets.watch("key", made.path("secret").asText());
    RawResponse replayed = client.call("POST", keys, "{'name':'app'}", once);
    assertThat(replayed.header("idempotent-replayed")).isEqualTo("true");
    client.readings.add(replayed.text());
    String key = keys + "/" + made.at("/key/id").asText();
    String second =
        secrets.watch(
            "rotated key", reply(client.post(key + "/rotate", "")).path("secret").asText());
    assertThat(ChatRequests.ask(node, "test/chat", second).status()).isEqualTo(200);
    client.errors.add(ChatRequests.ask(node, "test/chat", first).rawText());
    String unknown = secrets.watch("unknown key", first.substring(0, first.length() - 4) + "AAAA");
    client.errors.add(ChatRequests.ask(node, "test/chat", unknown).rawText());
    client.refused(400, keys, "{'name':'x','secret':'" + second + "'}");
  }

  private void webhooks(String org) throws Exception {
    String webhooks = "/orgs/" + org + "/webhooks/secret";
    secrets.watch(
        "webhook secret", reply(client.post(webhooks + "/reveal", "")).path("secret").asText());
    secrets.watch(
        "rotated webhook secret",
        reply(client.post(webhooks + "/rotate", "{}")).path("secret").asText());
    client.refused(400, webhooks + "/rotate", "{'keep_seconds':-1}");
  }

  private void invite(String org) throws Exception {
    @Nullable String ann = client.cookie;
    String invitations = "/orgs/" + org + "/invitations";
    String body = "{'email':'carol@example.com','role':'developer'}";
    String once = "Idempotency-Key: invite-1";
    JsonNode made = reply(client.call("POST", invitations, body, once));
    String old = client.watchLink("replaced invitation link", made.path("invite_url").asText());
    client.readings.add(client.call("POST", invitations, body, once).text());
    String again = invitations + "/" + made.path("id").asText() + "/resend";
    String token =
        client.watchLink(
            "invitation link", reply(client.post(again, "")).path("invite_url").asText());
    client.refused(404, "/auth/invitations/look", "{'token':'" + old + "'}");
    client.cookie = null;
    String password = client.password("invited person's password");
    String accept = "{'token':'%s','name':'Carol','password':'%s'}".formatted(token, password);
    assertThat(client.post("/auth/invitations/accept", accept).status()).isEqualTo(200);
    client.refused(404, "/auth/invitations/accept", accept);
    client.cookie = ann;
  }

  /** A control token, which only SQL makes so far. */
  private void token(String org) throws Exception {
    String token = secrets.watch("token", ControlTokens.FORMAT.generate(new SecureRandom()));
    database(
        """
        INSERT INTO control_token (id, org_id, name, hash, last_four, role, created_by, expires_at)
        SELECT '%s', '%s', 'ci', '\\x%s', 'last', 'admin', id, now() + interval '1 day'
          FROM user_account WHERE email = 'ann@example.com'"""
            .formatted(
                ControlTokens.FORMAT.idIn(token),
                org,
                HexFormat.of().formatHex(RandomSecret.hash(token))));
    client.bearer = token;
    assertThat(client.get("/session").status()).isEqualTo(200);
    JsonNode made =
        reply(
            client.call("POST", "/orgs/" + org + "/keys", "{'name':'ci'}", "Idempotency-Key: t-1"));
    secrets.watch("token's key", made.path("secret").asText());
    client.errors.add(ChatRequests.ask(node, "test/chat", token).rawText());
    client.bearer = secrets.watch("unknown token", token.substring(0, token.length() - 4) + "AAAA");
    client.refused(401, "/auth/sign-in", "{}");
    assertThat(client.get("/session").status()).isEqualTo(401);
    client.bearer = null;
  }

  /** What clients do wrong with a secret in their hands. */
  private void misuse(String org) throws Exception {
    String secret = client.password("misplaced password");
    client.refused(
        400, "/auth/sign-in", "{'email':{'a':'%1$s'},'password':['%1$s']}".formatted(secret));
    client.refused(400, "/auth/sign-in", "{'email':'a@example.com','pass':'" + secret + "'}");
    client.refused(400, "/auth/sign-in", "{'email':'a@example.com','password':'" + secret);
    client.refused(400, "/auth/email/verify", "{'token':'" + secret + "'}");
    client.refused(404, "/auth/email/verify/" + secret.replace(' ', '-'), "{}");
    client.refused(400, "/me/email", "{'email':'" + secret + "'}");
    client.refused(
        400, "/orgs/" + org + "/invitations", "{'email':'%s','role':'x'}".formatted(secret));
    secrets.watch("password in a path", secret.replace(' ', '-'));
    for (String path :
        List.of(
            "/orgs/" + org + "/requests?token=" + secret.replace(' ', '-'),
            "/orgs/" + org + "/requests?cursor=" + secret.replace(' ', '-'),
            "/orgs/" + org + "/keys/" + secret.replace(' ', '-'),
            "/orgs/" + UUID.randomUUID() + "/keys")) {
      assertThat(client.get(path).status()).as(path).isBetween(400, 404);
    }
    @Nullable String own = client.cookie;
    client.cookie = secrets.watch("planted cookie", RandomSecret.generate().reveal());
    assertThat(client.get("/session").status()).isEqualTo(401);
    client.cookie = own;
  }

  private void read(String org) throws Exception {
    List<String> ofOrg =
        List.of("", "/members", "/invitations", "/keys", "/webhooks/secret", "/audit", "/requests");
    for (String path :
        Stream.concat(
                ofOrg.stream().map(each -> "/orgs/" + org + each),
                Stream.of("/session", "/me/sessions", "/operator/users", "/operator/orgs", "/meta"))
            .toList()) {
      assertThat(client.get(path).status()).as(path).isEqualTo(200);
    }
    for (String path : List.of("/metrics", "/config", "/providers")) {
      client.readings.add(node.admin().get(path).body());
    }
  }

  // The search

  private void requireNoneInTables() throws Exception {
    List<String> tables = new ArrayList<>();
    LedgerDatabase database = LedgerDatabase.of(folder);
    database.query(
        """
        SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = 'tollgate' AND c.relkind IN ('r', 'p') AND NOT c.relispartition""",
        row -> tables.add(row.getString(1)));
    List<String> rows = new ArrayList<>();
    for (String table : tables) {
      database.query(
          "SELECT t::text FROM \"" + table + "\" t",
          row -> {
            rows.add(row.getString(1));
            secrets.requireNoneIn("table " + table, row.getString(1));
          });
    }
    assertThat(tables).contains("audit_event", "control_idempotency", "mail_outbox", "request_log");
    assertThat(rows).anyMatch(each -> each.contains("keys-1"));
    assertThat(rows).anyMatch(each -> each.contains("webhook.secret_reveal"));
  }

  /** All that the node itself writes: the files of PostgreSQL are its tables, seen above. */
  private void requireNoneInFiles() throws IOException {
    Path data = folder.dataDir();
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file :
          files
              .filter(Files::isRegularFile)
              .filter(each -> !each.startsWith(data.resolve("postgres/cluster")))
              .filter(each -> !each.startsWith(data.resolve("mail")))
              .toList()) {
        secrets.requireNoneIn(file.toString(), WatchedClient.text(file));
      }
    }
  }

  private void awaitSent() throws Exception {
    long begunNanos = System.nanoTime();
    while (LedgerDatabase.of(folder).number("SELECT count(*) FROM mail_outbox") > 0) {
      assertThat(System.nanoTime() - begunNanos).as("mails wait").isLessThan(SOON.toNanos());
    }
  }

  private void database(String sql) throws Exception {
    LedgerDatabase.of(folder).query("WITH done AS (" + sql + " RETURNING 1) SELECT 1", _ -> {});
  }
}
