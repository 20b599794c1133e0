package dev.tollgate.core.upstream;

import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Reason why no connection to an endpoint was made: the step that failed, and how. */
public enum ConnectFault {
  /** The host name has no address. */
  DNS("the host name has no address"),
  /** No TCP connection to the endpoint. */
  CONNECT("no connection"),
  /** No TCP connection to the proxy. */
  PROXY_UNREACHABLE("no connection to the proxy"),
  /** The proxy answered 407. */
  PROXY_AUTH("the proxy refuses the credentials, or wants some"),
  /** The proxy answered another status than 2xx. */
  PROXY_REFUSED("the proxy refuses the host or port"),
  /** The proxy did not answer in time. */
  PROXY_TIMEOUT("the proxy does not answer"),
  /** The proxy closed the connection instead of answering. */
  PROXY_CLOSED("the proxy closed the connection"),
  /** The answer is not one of an HTTP proxy. */
  PROXY_MALFORMED("the proxy does not answer as one"),
  /** No known authority has issued the endpoint's certificate. */
  TLS_UNTRUSTED("the certificate is not trusted"),
  /** The endpoint's certificate is for other names. */
  TLS_NAME("the certificate is for another name"),
  /** The endpoint's certificate, or one above it, has expired or is not valid yet. */
  TLS_EXPIRED("the certificate has expired, or is not valid yet"),
  /** The endpoint refuses the client certificate, or wants one. */
  TLS_CLIENT_CERTIFICATE("the client certificate is refused, or one is wanted"),
  /** Any other failure of TLS, also a handshake that takes too long. */
  TLS("TLS failed");

  /** Alerts about the certificate of the side that receives them, as JDK and OpenSSL write them. */
  private static final Pattern CERTIFICATE_ALERT =
      Pattern.compile(
          "certificate_required|bad_certificate|certificate_unknown|unknown_ca"
              + "|certificate_expired|certificate_revoked|unsupported_certificate|access_denied",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern OTHER_NAME =
      Pattern.compile("No (subject alternative|name matching)");

  private final String wire = name().toLowerCase(Locale.ROOT);
  private final String text;

  ConnectFault(String text) {
    this.text = text;
  }

  /** Returns the name in logs, such as {@code proxy_auth}. */
  public String wire() {
    return wire;
  }

  /** Returns the name and what it means. */
  public String reason() {
    return wire + ": " + text;
  }

  /** Returns the name and what is known of the cause. */
  public String reason(@Nullable Throwable cause) {
    String known = cause == null ? null : deepest(cause).getMessage();
    return known == null ? reason() : reason() + " (" + known + ")";
  }

  /** Returns the fault that a failure means at the step {@code reached}. */
  static ConnectFault of(Throwable failure, ConnectFault reached) {
    ConnectFault ofCertificate = null;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      switch (cause) {
        case ConnectFailure known -> {
          return known.fault();
        }
        case UnknownHostException _ -> {
          return reached == CONNECT ? DNS : reached;
        }
        case CertificateExpiredException _, CertificateNotYetValidException _ -> {
          return TLS_EXPIRED;
        }
        case CertPathValidatorException path -> {
          return isValidity(path) ? TLS_EXPIRED : TLS_UNTRUSTED;
        }
        case CertPathBuilderException _ -> {
          return TLS_UNTRUSTED;
        }
        case CertificateException certificate -> ofCertificate = of(certificate);
        default -> {}
      }
    }
    return ofCertificate != null ? ofCertificate : isTls(failure) ? ofTls(failure) : reached;
  }

  private static boolean isValidity(CertPathValidatorException path) {
    return path.getReason() == BasicReason.EXPIRED || path.getReason() == BasicReason.NOT_YET_VALID;
  }

  private static ConnectFault of(CertificateException certificate) {
    String message = String.valueOf(certificate.getMessage());
    return OTHER_NAME.matcher(message).find() ? TLS_NAME : TLS_UNTRUSTED;
  }

  /** True if TLS failed, and not the connection under it. */
  static boolean isTls(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SSLException) {
        return true;
      }
    }
    return false;
  }

  private static ConnectFault ofTls(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (CERTIFICATE_ALERT.matcher(String.valueOf(cause.getMessage())).find()) {
        return TLS_CLIENT_CERTIFICATE;
      }
    }
    return TLS;
  }

  private static Throwable deepest(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
