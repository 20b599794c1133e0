package dev.tollgate.server.mail;

import dev.tollgate.core.catalog.Secret;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Delivery of mails to a mail server by SMTP. {@code smtps} is TLS from the start; {@code smtp}
 * uses STARTTLS where the server offers it, and requires it before a password is sent off this
 * machine.
 */
final class SmtpDelivery implements MailDelivery {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int SMTP_PORT = 587;
  private static final int SMTPS_PORT = 465;

  private final Session session;
  private final String host;
  private final int port;
  private final @Nullable String user;
  private final @Nullable Secret password;
  private final String from;

  /**
   * @param url {@code smtp://user:password@host:port} or {@code smtps://…}
   * @throws IllegalArgumentException if it is no such URL
   */
  SmtpDelivery(Secret url, String from) {
    URI uri = parsed(url);
    boolean isTls = "smtps".equals(uri.getScheme());
    String credentials = uri.getRawUserInfo();
    int colon = credentials == null ? -1 : credentials.indexOf(':');
    this.host = uri.getHost();
    this.port = uri.getPort() > 0 ? uri.getPort() : isTls ? SMTPS_PORT : SMTP_PORT;
    this.user = credentials == null || colon < 0 ? null : decoded(credentials.substring(0, colon));
    this.password =
        credentials == null || colon < 0
            ? null
            : new Secret(decoded(credentials.substring(colon + 1)));
    this.from = from;
    this.session = Session.getInstance(properties(isTls, user != null && !isLoopback(host)));
  }

  @Override
  public void deliver(MailMessage message, Instant writtenAt) throws IOException {
    try (Transport transport = session.getTransport("smtp")) {
      var mime = MimeMail.of(session, from, message, writtenAt);
      transport.connect(host, port, user, password == null ? null : password.reveal());
      transport.sendMessage(mime, mime.getAllRecipients());
    } catch (MessagingException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static URI parsed(Secret url) {
    try {
      URI uri = URI.create(url.reveal());
      if (("smtp".equals(uri.getScheme()) || "smtps".equals(uri.getScheme()))
          && uri.getHost() != null) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // The message would contain the password.
    }
    throw new IllegalArgumentException(
        "control_plane.email.smtp must be smtp://user:password@host:port");
  }

  private static Properties properties(boolean isTls, boolean requiresTls) {
    String millis = String.valueOf(TIMEOUT.toMillis());
    var properties = new Properties();
    properties.setProperty("mail.smtp.connectiontimeout", millis);
    properties.setProperty("mail.smtp.timeout", millis);
    properties.setProperty("mail.smtp.writetimeout", millis);
    properties.setProperty("mail.smtp.ssl.enable", String.valueOf(isTls));
    properties.setProperty("mail.smtp.ssl.checkserveridentity", "true");
    properties.setProperty("mail.smtp.starttls.enable", "true");
    properties.setProperty("mail.smtp.starttls.required", String.valueOf(requiresTls && !isTls));
    return properties;
  }

  private static boolean isLoopback(String host) {
    return host.equals("localhost") || host.equals("127.0.0.1") || host.equals("[::1]");
  }

  private static String decoded(String part) {
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
