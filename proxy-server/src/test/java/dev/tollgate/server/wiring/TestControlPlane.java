package dev.tollgate.server.wiring;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.signin.ControlTokens;
import dev.tollgate.server.account.signin.EmailAddress;
import dev.tollgate.server.account.signin.RandomSecret;
import dev.tollgate.server.account.signin.SessionOptions;
import dev.tollgate.server.account.signin.Sessions;
import dev.tollgate.server.account.signin.User;
import dev.tollgate.server.account.signin.UserState;
import dev.tollgate.server.account.signin.Users;
import dev.tollgate.server.account.signin.Users.NewUser;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import dev.tollgate.server.postgres.tenants.Organizations.OrgCreation;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A gateway with a control listener, and callers of its API: people and control tokens. */
final class TestControlPlane implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Caller NEW =
      new Caller(new Principal.Anonymous(), "192.0.2.1", "Test/1", "req_test");

  private final TestGateway gateway;
  private final Path mails;
  private final Sessions sessions;

  private TestControlPlane(TestGateway gateway, Path mails) {
    this.gateway = gateway;
    this.mails = mails;
    var lives = new SessionOptions(Duration.ofHours(12), Duration.ofDays(7));
    this.sessions = new Sessions(pool(), lives);
  }

  static TestControlPlane start(Path folder) throws Exception {
    return start(folder, "");
  }

  /**
   * Starts the gateway.
   *
   * @param more models, and further sections of the configuration behind them
   */
  static TestControlPlane start(Path folder, String more) throws Exception {
    String yaml =
        TestGateway.CONFIGURATION.replace(
            "control: { address: null }", "control: { address: \"127.0.0.1:0\" }");
    TestGateway gateway =
        TestGateway.start(
            folder,
            yaml + more + "control_plane: { rate: { per_second: 10000, per_minute: 600000 } }\n");
    return new TestControlPlane(gateway, folder.resolve("data/mail"));
  }

  TestGateway gateway() {
    return gateway;
  }

  Store store() {
    return gateway.server().store();
  }

  private DataSource pool() {
    return store().pool();
  }

  OrgId org() throws SQLException {
    return org("org-" + UUID.randomUUID());
  }

  OrgId org(String name) throws SQLException {
    return switch (store().organizations().create(name, null)) {
      case OrgCreation.Created(var made) -> made.org().id();
      case OrgCreation.NameTaken() -> throw new AssertionError(name);
    };
  }

  /** Returns a person who is signed in. */
  Client person(String name, boolean isOperator) throws SQLException {
    EmailAddress email = EmailAddress.require("email", name + "@people.example");
    return Transactions.run(
        pool(),
        connection -> {
          User user =
              Users.insert(connection, new NewUser(email, name, UserState.ACTIVE, isOperator, null))
                  .orElseThrow();
          RandomSecret cookie = sessions.start(connection, NEW, user.id(), List.of("pwd")).cookie();
          return new Client("Cookie: tollgate_session=" + cookie.reveal(), user);
        });
  }

  /** Returns a new member who is signed in. */
  Client member(OrgId org, Role role) throws SQLException {
    return member(org, UUID.randomUUID().toString(), role);
  }

  /** Returns a member who is signed in. */
  Client member(OrgId org, String name, Role role) throws SQLException {
    Client client = person(name, false);
    update(
        "INSERT INTO membership (org_id, user_id, role) VALUES (?, ?, ?)",
        org.value(),
        client.id().value(),
        role.wire());
    return client;
  }

  /**
   * Returns a control token with the role admin.
   *
   * @param org null: a token of the platform
   */
  Client token(@Nullable OrgId org, Client maker) throws SQLException {
    return token(org, maker, Role.ADMIN);
  }

  /**
   * Returns a control token.
   *
   * @param org null: a token of the platform, without that role
   */
  Client token(@Nullable OrgId org, Client maker, Role role) throws SQLException {
    String text = ControlTokens.FORMAT.generate(new SecureRandom());
    update(
        """
        INSERT INTO control_token (id, org_id, name, hash, last_four, role, created_by, expires_at)
        VALUES (?, ?, 'ci', ?, 'last', ?, ?, now() + interval '1 day')""",
        ControlTokens.FORMAT.idIn(text),
        org == null ? null : org.value(),
        RandomSecret.hash(text),
        org == null ? "operator" : role.wire(),
        maker.id().value());
    return new Client("Authorization: Bearer " + text, maker.user);
  }

  /** Returns a caller without credentials. */
  Client anonymous() {
    return new Client(null, null);
  }

  void suspend(OrgId org) throws SQLException {
    update("UPDATE organization SET state = 'suspended' WHERE id = ?", org.value());
  }

  void update(String sql, @Nullable Object... values) throws SQLException {
    try (Connection connection = pool().getConnection()) {
      Statements.update(connection, sql, values);
    }
  }

  /** Returns the first column. */
  List<String> rows(String sql, @Nullable Object... values) throws SQLException {
    try (Connection connection = pool().getConnection()) {
      return Statements.list(connection, sql, row -> row.getString(1), values);
    }
  }

  /** Returns kind of actor, action and target of an organization's audit log, the latest first. */
  List<String> audit(OrgId org) throws SQLException {
    return rows(
        "SELECT actor_kind || ' ' || action || ' ' || coalesce(target_name, '') FROM audit_event"
            + " WHERE org_id = ? ORDER BY id DESC",
        org.value());
  }

  /** Returns the same with the ids of the targets, the oldest first. */
  List<String> auditOfIds(OrgId org) throws SQLException {
    return rows(
        "SELECT actor_kind || ' ' || action || ' ' || coalesce(target_id, '') FROM audit_event"
            + " WHERE org_id = ? ORDER BY id",
        org.value());
  }

  /** Returns the same of what belongs to no organization. */
  List<String> platformAudit() throws SQLException {
    return rows(
        "SELECT actor_kind || ' ' || action || ' ' || coalesce(target_name, '') FROM audit_event"
            + " WHERE org_id IS NULL ORDER BY id DESC");
  }

  /** Waits for so many mails of a kind to an address, written to their end; returns them. */
  List<String> awaitMails(String kind, String email, int count) throws IOException {
    long begunNanos = System.nanoTime();
    List<String> found = mails(kind, email);
    while (found.size() < count) {
      if (System.nanoTime() - begunNanos > 10_000_000_000L) {
        throw new AssertionError(count + " mails of " + kind + " awaited, but there are " + found);
      }
      found = mails(kind, email);
    }
    return found;
  }

  private List<String> mails(String kind, String email) throws IOException {
    List<String> found = new ArrayList<>();
    if (Files.isDirectory(mails)) {
      try (Stream<Path> all = Files.list(mails)) {
        for (Path each : all.filter(path -> path.toString().endsWith(kind + ".eml")).toList()) {
          String text = Files.readString(each);
          if (text.contains("To: " + email) && text.contains("</html>")) {
            found.add(text);
          }
        }
      }
    }
    return found;
  }

  /** Sends a chat request with a key; returns the status and the code of a refusal. */
  String chat(String secret, String model) throws JsonProcessingException {
    String body =
        """
        {"model":"%s","max_tokens":1000,"messages":[{"role":"user","content":"Hello"}]}"""
            .formatted(model);
    try (RawClient client = gateway.connect()) {
      RawResponse raw =
          client
              .post("/v1/chat/completions", body, "Authorization: Bearer " + secret)
              .readResponse();
      return raw.status() == 200 ? "200" : new Reply(raw, JSON.readTree(raw.text())).refusal();
    }
  }

  @Override
  public void close() {
    gateway.close();
  }

  /** Reply to a call; its JSON is missing if it has no content. */
  record Reply(RawResponse raw, JsonNode json) {
    int status() {
      return raw.status();
    }

    @Nullable String header(String name) {
      return raw.header(name);
    }

    /** Returns status, code and reason of a refusal, and the parameter of an invalid one. */
    String refusal() {
      JsonNode error = json.path("error");
      return String.join(
              " ",
              String.valueOf(status()),
              error.path("code").asText(),
              error.path("param").asText(),
              error.at("/details/reason").asText())
          .strip()
          .replaceAll(" +", " ");
    }

    List<String> members() {
      List<String> names = new ArrayList<>();
      json.fieldNames().forEachRemaining(names::add);
      return names;
    }
  }

  /** Client with the credentials of a caller. */
  final class Client {
    private final @Nullable String credentials;
    private final @Nullable User user;

    private Client(@Nullable String credentials, @Nullable User user) {
      this.credentials = credentials;
      this.user = user;
    }

    UserId id() {
      return Objects.requireNonNull(user).id();
    }

    String email() {
      return Objects.requireNonNull(user).email();
    }

    /** Makes the last proof of identity older than what needs one allows. */
    Client withOldProof() throws SQLException {
      update(
          "UPDATE user_session SET proven_at = now() - interval '11 minutes' WHERE user_id = ?",
          id().value());
      return this;
    }

    Reply get(String path) throws Exception {
      return call("GET", path, "");
    }

    Reply post(String path) throws Exception {
      return call("POST", path, "");
    }

    Reply post(String path, String json, String... fields) throws Exception {
      return call("POST", path, json, fields);
    }

    Reply put(String path, String json) throws Exception {
      return call("PUT", path, json);
    }

    Reply patch(String path, String json, String... fields) throws Exception {
      return call("PATCH", path, json, fields);
    }

    Reply delete(String path) throws Exception {
      return call("DELETE", path, "");
    }

    /**
     * Makes a call.
     *
     * @param path behind {@code /api/v1}
     * @param json in which single quotes stand for double ones; empty: no body
     */
    Reply call(String method, String path, String json, String... fields)
        throws JsonProcessingException {
      String body = json.replace('\'', '"');
      List<String> head = new ArrayList<>();
      head.add(method + " /api/v1" + path + " HTTP/1.1");
      head.add("Host: localhost");
      head.add("X-Requested-With: test");
      head.add("Content-Length: " + body.length());
      if (!body.isEmpty()) {
        head.add("Content-Type: application/json");
      }
      if (credentials != null) {
        head.add(credentials);
      }
      head.addAll(List.of(fields));
      String url = Objects.requireNonNull(gateway.greeting().controlUrl());
      try (RawClient client = RawClient.connect(URI.create(url).getPort())) {
        RawResponse raw = client.send(String.join("\r\n", head) + "\r\n\r\n" + body).readResponse();
        return new Reply(raw, JSON.readTree(raw.text()));
      }
    }
  }
}
