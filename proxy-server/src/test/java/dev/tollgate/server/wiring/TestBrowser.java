package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.signin.EmailAddress;
import dev.tollgate.server.account.signin.KnownPassword;
import dev.tollgate.server.account.signin.SessionOptions;
import dev.tollgate.server.account.signin.Sessions;
import dev.tollgate.server.account.signin.User;
import dev.tollgate.server.account.signin.UserState;
import dev.tollgate.server.account.signin.Users;
import dev.tollgate.server.account.signin.Users.NewUser;
import dev.tollgate.server.postgres.session.Transactions;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Client of a control listener that keeps the session cookie as a browser does. */
final class TestBrowser {
  static final String PASSWORD = KnownPassword.TEXT;

  private static final String NAME = "tollgate_session";
  private static final List<String> BY_PASSWORD = List.of("pwd");
  private static final Caller CALLER =
      new Caller(new Principal.Anonymous(), "127.0.0.1", "Test/1", "req_test");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final int port;
  private @Nullable String cookie;

  TestBrowser(TestGateway gateway) {
    this.port = URI.create(Objects.requireNonNull(gateway.greeting().controlUrl())).getPort();
  }

  /** Returns the secret of the link that the start printed. */
  static String setUpToken(TestGateway gateway) {
    return secret(Objects.requireNonNull(gateway.greeting().setUpUrl()));
  }

  /** Returns the secret behind a link's number sign. */
  static String secret(String link) {
    return link.substring(link.indexOf('#') + 1);
  }

  @Nullable String cookie() {
    return cookie;
  }

  TestBrowser with(@Nullable String otherCookie) {
    cookie = otherCookie;
    return this;
  }

  RawResponse get(String path) {
    try (RawClient client = RawClient.connect(port)) {
      return noted(client.get(path, fields()).readResponse());
    }
  }

  /** Posts JSON, in which single quotes stand for double ones. */
  RawResponse post(String path, String json) {
    return send("POST", path, json);
  }

  RawResponse send(String method, String path, String json, String... headerLines) {
    String body = json.replace('\'', '"');
    List<String> head = new ArrayList<>();
    head.add(method + " " + path + " HTTP/1.1");
    head.add("Host: localhost");
    head.addAll(List.of(fields()));
    head.addAll(List.of(headerLines));
    if (!body.isEmpty()) {
      head.add("Content-Type: application/json");
    }
    head.add("Content-Length: " + body.length());
    try (RawClient client = RawClient.connect(port)) {
      return noted(client.send(String.join("\r\n", head) + "\r\n\r\n" + body).readResponse());
    }
  }

  RawResponse signIn(String email, String password) {
    return post(
        "/api/v1/auth/sign-in", "{'email':'%s','password':'%s'}".formatted(email, password));
  }

  /** Creates the first account and stays signed in. */
  TestBrowser setUp(TestGateway gateway, String email) {
    String body =
        "{'token':'%s','email':'%s','password':'%s','name':'Ann'}"
            .formatted(setUpToken(gateway), email, PASSWORD);
    assertThat(post("/api/v1/setup", body).status()).isEqualTo(201);
    return this;
  }

  /** Gets the cookie of a new session, as by a sign-in. */
  TestBrowser startSession(TestGateway gateway, User user) throws SQLException {
    DataSource pool = gateway.server().store().pool();
    var sessions = new Sessions(pool, new SessionOptions(Duration.ofHours(12), Duration.ofDays(7)));
    return Transactions.run(
        pool,
        connection ->
            with(sessions.start(connection, CALLER, user.id(), BY_PASSWORD).cookie().reveal()));
  }

  /** Adds an active person, who can sign in with {@link #PASSWORD}. */
  static User addPerson(TestGateway gateway, String email) throws SQLException {
    try (Connection connection = gateway.server().store().pool().getConnection()) {
      var person =
          new NewUser(
              EmailAddress.require("email", email),
              "Person",
              UserState.ACTIVE,
              false,
              KnownPassword.hash());
      return Users.insert(connection, person).orElseThrow();
    }
  }

  /** Changes rows of the gateway's store; returns their number. */
  static int sql(TestGateway gateway, String update) throws SQLException {
    try (Connection connection = gateway.server().store().pool().getConnection();
        Statement statement = connection.createStatement()) {
      return statement.executeUpdate(update);
    }
  }

  static JsonNode json(RawResponse response) throws Exception {
    return JSON.readTree(response.text());
  }

  static String code(RawResponse response) throws Exception {
    return json(response).at("/error/code").asText();
  }

  private String[] fields() {
    List<String> fields = new ArrayList<>(List.of("X-Requested-With: test"));
    if (cookie != null) {
      fields.add("Cookie: " + NAME + "=" + cookie);
    }
    return fields.toArray(String[]::new);
  }

  private RawResponse noted(RawResponse response) {
    String set = response.header("set-cookie");
    if (set != null && set.startsWith(NAME + "=")) {
      String value = set.substring(NAME.length() + 1, set.indexOf(';'));
      cookie = value.isEmpty() ? null : value;
    }
    return response;
  }
}
