package dev.tollgate.core.aws;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.Unsigned;
import io.netty.buffer.ByteBuf;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** AWS's signature of a request, version 4, of host, type and AWS's own fields. Pure. */
public final class SigV4 {
  private static final String ALGORITHM = "AWS4-HMAC-SHA256";
  private static final String MARKS = "-._~";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private final AwsKeys keys;
  private final String service;

  public SigV4(AwsKeys keys, String service) {
    this.keys = keys;
    this.service = service;
  }

  /** The fields to add: time, session and signature. */
  public List<Field> sign(Unsigned call) {
    String time = TIME.format(call.now());
    List<Field> added = new ArrayList<>();
    added.add(new Field("x-amz-date", time));
    keys.session().map(Secret::reveal).ifPresent(s -> added.add(securityToken(s)));
    List<Field> signed = signed(call, added);
    String names = signed.stream().map(Field::name).collect(Collectors.joining(";"));
    String scope = scope(call.now());
    String toSign =
        String.join("\n", ALGORITHM, time, scope, hex(sha256(canonical(call, signed, names))));
    added.add(
        new Field(
            "authorization",
            "%s Credential=%s/%s, SignedHeaders=%s, Signature=%s"
                .formatted(
                    ALGORITHM, keys.accessKey(), scope, names, signature(call.now(), toSign))));
    return added;
  }

  private static Field securityToken(String session) {
    return new Field("x-amz-security-token", session);
  }

  private static List<Field> signed(Unsigned call, List<Field> added) {
    Stream<Field> type =
        call.contentType().isEmpty()
            ? Stream.empty()
            : Stream.of(new Field("content-type", call.contentType()));
    return Stream.concat(
            Stream.concat(type, added.stream()), Stream.of(new Field("host", call.host())))
        .sorted(Comparator.comparing(Field::name))
        .toList();
  }

  private String scope(Instant now) {
    return String.join("/", day(now), keys.region(), service, "aws4_request");
  }

  private static String day(Instant now) {
    return TIME.format(now).substring(0, 8);
  }

  // The canonical request

  private static String canonical(Unsigned call, List<Field> signed, String names) {
    String target = call.target();
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    return String.join(
        "\n",
        call.method(),
        encoded(path, true),
        query < 0 ? "" : canonicalQuery(target.substring(query + 1)),
        signed.stream()
            .map(field -> field.name() + ":" + field.value().strip().replaceAll(" +", " ") + "\n")
            .collect(Collectors.joining()),
        names,
        hex(sha256(call.body())));
  }

  /** Pairs in order; what they consist of is encoded already. */
  private static String canonicalQuery(String query) {
    return Stream.of(query.split("&"))
        .map(pair -> pair.indexOf('=') < 0 ? pair + "=" : pair)
        .sorted()
        .collect(Collectors.joining("&"));
  }

  /**
   * Percent-encodes all but letters, digits and four marks. A path that is encoded already is
   * encoded once more in the canonical request: only S3 does without.
   *
   * @param path whether slashes stay
   */
  public static String encoded(String text, boolean path) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    for (byte b : text.getBytes(UTF_8)) {
      char c = (char) (b & 0xff);
      boolean plain = c < 0x80 && Character.isLetterOrDigit(c);
      boolean stays = plain || MARKS.indexOf(c) >= 0 || (path && c == '/');
      if (stays) {
        out.append(c);
      } else {
        out.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
      }
    }
    return out.toString();
  }

  // The signature

  private String signature(Instant now, String toSign) {
    byte[] key = ("AWS4" + keys.secretKey().reveal()).getBytes(UTF_8);
    for (String part : List.of(day(now), keys.region(), service, "aws4_request", toSign)) {
      key = hmac(key, part);
    }
    return hex(key);
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC with SHA-256", e);
    }
  }

  private static byte[] sha256(String text) {
    return digest().digest(text.getBytes(UTF_8));
  }

  private static byte[] sha256(List<ByteBuf> body) {
    MessageDigest digest = digest();
    for (ByteBuf part : body) {
      digest.update(part.nioBuffer());
    }
    return digest.digest();
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
