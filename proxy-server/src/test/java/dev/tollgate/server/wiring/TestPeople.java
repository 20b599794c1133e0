package dev.tollgate.server.wiring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.signin.SessionOptions;
import dev.tollgate.server.account.signin.Sessions;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.session.Transactions;
import dev.tollgate.server.postgres.tenants.Organizations.OrgCreation;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The whole gateway with its control plane, and people who call it with their sessions. */
public final class TestPeople implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Caller BROWSER =
      new Caller(new Principal.Anonymous(), "127.0.0.1", "Test/1", "req_test");

  private final HttpClient http = HttpClient.newHttpClient();
  private final TestGateway gateway;
  private final String url;

  private final Path mails;

  private TestPeople(TestGateway gateway, Path folder) {
    this.gateway = gateway;
    this.mails = folder.resolve("data/mail");
    this.url = Objects.requireNonNull(gateway.greeting().controlUrl());
  }

  /**
   * Starts the gateway.
   *
   * @param more sections of the configuration
   */
  public static TestPeople start(Path folder, String more) throws Exception {
    String yaml =
        TestGateway.CONFIGURATION.replace("address: null", "address: \"127.0.0.1:0\"") + more;
    return new TestPeople(TestGateway.start(folder, yaml), folder);
  }

  /** Waits for so many mails of a kind to an address, written to their end; returns them. */
  public List<String> awaitMails(String kind, String email, int count) throws IOException {
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

  public TestGateway gateway() {
    return gateway;
  }

  public Store store() {
    return gateway.server().store();
  }

  /** A reply of the control plane. */
  public record Reply(int status, JsonNode json, HttpResponse<String> http) {
    /** Returns the code and, if there is one, the reason of a refusal. */
    public String refusal() {
      JsonNode error = json.path("error");
      JsonNode reason = error.path("details").path("reason");
      String code = status + " " + error.path("code").asText();
      return reason.isMissingNode() ? code : code + " " + reason.asText();
    }

    public @Nullable String header(String name) {
      return http.headers().firstValue(name).orElse(null);
    }
  }

  /** A person with a session. */
  public final class Browser {
    private final UserId user;
    private final String email;
    private final String cookie;

    private Browser(UserId user, String email, String cookie) {
      this.user = user;
      this.email = email;
      this.cookie = cookie;
    }

    public UserId user() {
      return user;
    }

    public String email() {
      return email;
    }

    public Reply get(String path) throws Exception {
      return call("GET", path, null);
    }

    public Reply post(String path, @Nullable String body, String... headers) throws Exception {
      return call("POST", path, body, headers);
    }

    /** Calls as the dashboard does. */
    public Reply call(String method, String path, @Nullable String body, String... headers)
        throws Exception {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(url + "/api/v1" + path))
              .header("Cookie", "tollgate_session=" + cookie)
              .header("X-Requested-With", "test")
              .method(
                  method,
                  body == null
                      ? HttpRequest.BodyPublishers.noBody()
                      : HttpRequest.BodyPublishers.ofString(body));
      if (body != null) {
        request.header("Content-Type", "application/json");
      }
      if (headers.length > 0) {
        request.headers(headers);
      }
      return send(request);
    }

    /** Makes the session's last proof of identity old. */
    public void proofIsOld() throws Exception {
      sql(
          "UPDATE user_session SET proven_at = now() - interval '11 minutes' WHERE user_id = ?",
          user.value());
    }
  }

  private Reply send(HttpRequest.Builder request) throws Exception {
    HttpResponse<String> reply = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    return new Reply(reply.statusCode(), JSON.readTree(reply.body()), reply);
  }

  /** Returns a new organization. */
  public OrgId org() throws Exception {
    String name = "org-" + UUID.randomUUID();
    return switch (store().organizations().create(name, null)) {
      case OrgCreation.Created created -> created.org().org().id();
      case OrgCreation.NameTaken _ -> throw new AssertionError(name);
    };
  }

  /** Returns a new member of an organization, who signed in just now. */
  public Browser member(OrgId org, Role role) throws Exception {
    Browser person = person(false);
    sql(
        "INSERT INTO membership (org_id, user_id, role) VALUES (?, ?, ?)",
        org.value(),
        person.user().value(),
        role.wire());
    return person;
  }

  /** Returns a new person, who signed in just now. */
  public Browser person(boolean isOperator) throws Exception {
    UUID id = UUID.randomUUID();
    String email = id + "@example.com";
    sql(
        "INSERT INTO user_account (id, email, email_key, name, state, verified_at, is_operator)"
            + " VALUES (?, ?, ?, 'N', 'active', now(), ?)",
        id,
        email,
        email,
        isOperator);
    var user = new UserId(id);
    var sessions =
        new Sessions(store().pool(), new SessionOptions(Duration.ofHours(12), Duration.ofDays(7)));
    String cookie =
        Transactions.run(
            store().pool(),
            connection ->
                sessions.start(connection, BROWSER, user, List.of("pwd")).cookie().reveal());
    return new Browser(user, email, cookie);
  }

  /** Executes a statement; returns the first column of its rows as text. */
  public List<@Nullable String> sql(String sql, Object... values) throws Exception {
    try (Connection connection = store().pool().getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      List<@Nullable String> all = new ArrayList<>();
      if (statement.execute()) {
        try (ResultSet row = statement.getResultSet()) {
          while (row.next()) {
            all.add(row.getString(1));
          }
        }
      }
      return all;
    }
  }

  /** Returns the actions and targets in the audit log of an organization, the oldest first. */
  public List<@Nullable String> audit(OrgId org) throws Exception {
    return sql(
        "SELECT actor_kind || ' ' || action || ' ' || coalesce(target_id, '') FROM audit_event"
            + " WHERE org_id = ? ORDER BY id",
        org.value());
  }

  /** Sends a chat request with a key; returns the status and the code of a refusal. */
  public String chat(String secret, String model) throws Exception {
    String body =
        """
        {"model":"%s","max_tokens":1000,"messages":[{"role":"user","content":"Hello"}]}"""
            .formatted(model);
    Reply reply =
        send(
            HttpRequest.newBuilder(URI.create(gateway.greeting().baseUrl() + "/chat/completions"))
                .header("Authorization", "Bearer " + secret)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    return reply.status() == 200 ? "200" : reply.refusal();
  }

  @Override
  public void close() {
    http.close();
    gateway.close();
  }
}
