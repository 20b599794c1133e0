package dev.tollgate.server.control;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.wiring.TestGateway;
import java.nio.file.Path;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A whole gateway with the fixture in its store. Every answer of its control plane is checked. */
final class ControlNode implements AutoCloseable {
  static final String MARKED = "X-Requested-With: tollgate";

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z_]+)}");
  private static final Pattern ASSET = Pattern.compile("/assets/([A-Za-z0-9._-]+\\.js)");
  private static final String CONFIGURATION =
      """
      version: 1
      listeners:
        api: { address: "127.0.0.1:0" }
        control: { address: "127.0.0.1:%s", trusted_proxies: [127.0.0.1/32]%s }
        admin: { address: "127.0.0.1:0" }
      server: { event_loops: 1, shutdown: { delay: 0s, timeout: 2s } }
      store: { url: embedded, data_dir: ./data }
      control_plane: { rate: { per_second: 100000, per_minute: 1000000 } }
      """
          + TestGateway.CHAT_MODEL
          + """
            openai/gpt-4o-mini:
              modality: chat
              price: free
              routes: [ { provider: mock, model: chat, cost: { request: "98765.4321" } } ]
          """;

  private final TestGateway gateway;
  private final FixtureRows rows;
  private final String asset;
  private int calls;

  private ControlNode(TestGateway gateway, FixtureRows rows) {
    this.gateway = gateway;
    this.rows = rows;
    Matcher script = ASSET.matcher(unchecked("GET", "/", null).text());
    this.asset = script.find() ? script.group(1) : "";
  }

  static ControlNode start(Path folder) throws Exception {
    return start(folder, 0, "");
  }

  /**
   * @param port of the listener; 0: any
   * @param listener further settings of the listener, each behind a comma
   */
  static ControlNode start(Path folder, int port, String listener) throws Exception {
    TestGateway gateway = TestGateway.start(folder, CONFIGURATION.formatted(port, listener));
    return new ControlNode(gateway, FixtureRows.putInto(gateway.server().store().pool()));
  }

  FixtureRows rows() {
    return rows;
  }

  TestGateway gateway() {
    return gateway;
  }

  /** Sends a call on a connection of its own. */
  RawResponse send(String method, String target, @Nullable String body, String... headerLines) {
    RawResponse response = unchecked(method, target, body, headerLines);
    ControlAnswers.require(method, target, response);
    return response;
  }

  /** Sends a call to another name of the host. */
  RawResponse toHost(String host, String method, String target, @Nullable String body) {
    return exchange(host, method, target, body);
  }

  private RawResponse unchecked(
      String method, String target, @Nullable String body, String... headerLines) {
    return exchange("localhost", method, target, body, headerLines);
  }

  private RawResponse exchange(
      String host, String method, String target, @Nullable String body, String... headerLines) {
    byte[] content = body == null ? new byte[0] : body.getBytes(UTF_8);
    StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
    head.append("Host: ").append(host).append("\r\n");
    head.append("X-Forwarded-For: ").append(nextAddress()).append("\r\n");
    if (!method.equals("GET")) {
      head.append("Content-Length: ").append(content.length).append("\r\n");
    }
    if (body != null) {
      head.append("Content-Type: application/json\r\n");
    }
    for (String line : headerLines) {
      head.append(line).append("\r\n");
    }
    try (RawClient client = RawClient.connect(gateway.controlPort())) {
      return client
          .send(head.append("\r\n").append(body == null ? "" : body).toString())
          .readResponse();
    }
  }

  /** Each call has a client address of its own, because refusals are limited by address. */
  private String nextAddress() {
    calls++;
    return "10.1." + calls / 250 + "." + (1 + calls % 250);
  }

  /** Sends a row's call with a caller's credentials. */
  RawResponse send(MatrixRow row, MatrixCaller caller) {
    return send(row, caller, row.body(), credentials(caller));
  }

  RawResponse send(
      MatrixRow row, MatrixCaller caller, @Nullable String body, List<String> credentials) {
    List<String> lines = new ArrayList<>(credentials);
    if (row.csrf()) {
      lines.add(MARKED);
    }
    return sendUnmarked(row, caller, body, lines);
  }

  RawResponse sendUnmarked(
      MatrixRow row, MatrixCaller caller, @Nullable String body, List<String> lines) {
    return send(
        row.method(),
        filled(row.path(), row, caller),
        body == null ? null : filled(body, row, caller),
        lines.toArray(String[]::new));
  }

  /** Returns the header lines of a caller's credentials. */
  List<String> credentials(MatrixCaller caller) {
    if (caller == MatrixCaller.ANONYMOUS) {
      return List.of();
    }
    return List.of(
        caller.isToken()
            ? "Authorization: Bearer " + rows.secret(caller.column())
            : cookie("session-of-" + caller.column()));
  }

  /** Returns the header lines of a session that was proven too long ago. */
  static List<String> oldCredentials(MatrixCaller caller) {
    return List.of(cookie("old-session-of-" + caller.column()));
  }

  private static String cookie(String value) {
    return "Cookie: tollgate_session=" + value;
  }

  String filled(String text, MatrixRow row, MatrixCaller caller) {
    return PLACEHOLDER
        .matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(value(found.group(1), row, caller)));
  }

  private String value(String placeholder, MatrixRow row, MatrixCaller caller) {
    boolean isSuspended = caller == MatrixCaller.SUSPENDED_OWNER;
    int org = isSuspended ? 3 : 1;
    return switch (placeholder) {
      case "org" -> "0a000000-0000-4000-8000-00000000000" + org;
      case "member", "user" -> person(isSuspended ? 15 : 11);
      case "second_owner" -> person(isSuspended ? 14 : 10);
      case "key" -> isSuspended ? "keySusp1" : "keyMain1";
      case "own_key" -> "ownKey" + ownKey(caller);
      case "other_org_key" -> "keyOthr1";
      case "own_session" -> "0d000000-0000-4000-8000-0000000000" + number(caller);
      case "invitation" -> "0e000000-0000-4000-8000-00000000000" + org;
      case "invite_token" -> "invite-of-" + (caller.isPerson() ? caller.column() : "stranger");
      case "fixture_email" -> "separate@example.com";
      case "fixture_password", "own_password" -> FixtureRows.PASSWORD;
      case "verify_token" -> "verify-of-pending";
      case "reset_token" -> "reset-of-separate";
      case "request" -> rows.secret("request_" + org);
      case "other_org_request" -> rows.secret("request_2");
      case "from" -> hour().minus(1, ChronoUnit.HOURS).toString();
      case "to" -> hour().plus(1, ChronoUnit.HOURS).toString();
      case "month" -> YearMonth.now(ZoneOffset.UTC).toString();
      case "asset" -> asset;
      default -> throw new AssertionError("no value for {" + placeholder + "} of " + row.id());
    };
  }

  private static Instant hour() {
    return Instant.now().truncatedTo(ChronoUnit.HOURS);
  }

  static String person(int number) {
    return "0b000000-0000-4000-8000-0000000000" + number;
  }

  private static String ownKey(MatrixCaller caller) {
    return switch (caller) {
      case TOKEN_ADMIN -> "TA";
      case TOKEN_OPERATOR -> "TO";
      case ANONYMOUS,
          VIEWER,
          DEVELOPER,
          BILLING,
          ADMIN,
          OWNER,
          OTHER_OWNER,
          OPERATOR,
          DISABLED,
          SUSPENDED_OWNER ->
          number(caller);
    };
  }

  /** Returns the two digits at the end of a person's ids. */
  private static String number(MatrixCaller caller) {
    return switch (caller) {
      case ANONYMOUS, VIEWER, TOKEN_ADMIN, TOKEN_OPERATOR -> "01";
      case DEVELOPER -> "02";
      case BILLING -> "03";
      case ADMIN -> "04";
      case OWNER -> "05";
      case OTHER_OWNER -> "06";
      case OPERATOR -> "07";
      case DISABLED -> "08";
      case SUSPENDED_OWNER -> "09";
    };
  }

  @Override
  public void close() {
    gateway.close();
  }
}
