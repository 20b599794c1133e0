package dev.tollgate.server.cli.gateway;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.value.BindAddress;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** HTTP client that calls the admin listener of a running gateway for CLI commands. */
final class AdminClient {
  private static final int CONNECT_MILLIS = 2_000;
  private static final int READ_MILLIS = 30_000;

  private final BindAddress address;
  private final @Nullable Secret token;

  AdminClient(BindAddress address, @Nullable Secret token) {
    this.address = address;
    this.token = token;
  }

  /** HTTP response of the admin listener: status and body. */
  record AdminResponse(int status, String body) {
    boolean isSuccess() {
      return status / 100 == 2;
    }
  }

  AdminResponse get(String path) throws AdminUnreachableException {
    return send("GET", path);
  }

  AdminResponse post(String path) throws AdminUnreachableException {
    return send("POST", path);
  }

  private AdminResponse send(String method, String path) throws AdminUnreachableException {
    try {
      return readResponse(open(method, path));
    } catch (IOException e) {
      throw new AdminUnreachableException(address, e);
    }
  }

  private HttpURLConnection open(String method, String path) throws IOException {
    var url = URI.create("http://" + connectAddress() + path).toURL();
    var connection = (HttpURLConnection) url.openConnection(Proxy.NO_PROXY);
    connection.setRequestMethod(method);
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout(READ_MILLIS);
    connection.setInstanceFollowRedirects(false);
    if (token != null) {
      connection.setRequestProperty("Authorization", "Bearer " + token.reveal());
    }
    return connection;
  }

  /** Returns the address to connect to: the loopback address in place of a wildcard. */
  private BindAddress connectAddress() {
    return switch (address.host()) {
      case "0.0.0.0", "::" -> new BindAddress("127.0.0.1", address.port());
      default -> address;
    };
  }

  private static AdminResponse readResponse(HttpURLConnection connection) throws IOException {
    int status = connection.getResponseCode();
    try (InputStream body =
        status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
      String text = body == null ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8);
      return new AdminResponse(status, text);
    } finally {
      connection.disconnect();
    }
  }

  /** Thrown if a command cannot connect to the admin listener of the gateway. */
  static final class AdminUnreachableException extends Exception {
    private static final long serialVersionUID = 1;

    AdminUnreachableException(BindAddress address, IOException cause) {
      super("no gateway answers at " + address + ": " + cause.getMessage(), cause, false, false);
    }
  }
}
