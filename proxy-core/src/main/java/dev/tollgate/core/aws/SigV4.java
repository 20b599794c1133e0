package dev.tollgate.core.aws;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.UnsignedRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Signs requests to AWS services with AWS Signature Version 4. The signature covers host, content
 * type and AWS's own fields. Instances have no mutable state.
 */
public final class SigV4 {
  private static final String MARKS = "-._~";
  private final SigningKey key;

  public SigV4(AwsCredentials keys, String service) {
    this.key = new SigningKey(keys, service);
  }

  /** Returns the fields to add: time, session and signature. */
  public List<Field> sign(UnsignedRequest call) {
    Instant now = call.now();
    List<Field> added = new ArrayList<>();
    added.add(new Field("x-amz-date", SigningKey.time(now)));
    key.keys().session().map(Secret::reveal).ifPresent(s -> added.add(securityToken(s)));
    List<Field> signed = signed(call, added);
    String names = signed.stream().map(Field::name).collect(Collectors.joining(";"));
    String signature = key.signature(now, canonical(call, signed, names));
    added.add(authorization(key.credential(now), names, signature));
    return added;
  }

  static Field authorization(String credential, String names, String signature) {
    return new Field(
        "authorization",
        "%s Credential=%s, SignedHeaders=%s, Signature=%s"
            .formatted(SigningKey.ALGORITHM, credential, names, signature));
  }

  static Field securityToken(String session) {
    return new Field("x-amz-security-token", session);
  }

  private static List<Field> signed(UnsignedRequest call, List<Field> added) {
    Stream<Field> type =
        call.contentType().isEmpty()
            ? Stream.empty()
            : Stream.of(new Field("content-type", call.contentType()));
    return Stream.concat(
            Stream.concat(type, added.stream()), Stream.of(new Field("host", call.host())))
        .sorted(Comparator.comparing(Field::name))
        .toList();
  }

  // The canonical request

  private static String canonical(UnsignedRequest call, List<Field> signed, String names) {
    String target = call.target();
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    return String.join(
        "\n",
        call.method(),
        encoded(path, true),
        query < 0 ? "" : canonicalQuery(target.substring(query + 1)),
        canonicalHeaders(signed),
        names,
        SigningKey.hex(call.body().get()));
  }

  /** Returns the fields in the form of a canonical request. */
  static String canonicalHeaders(List<Field> signed) {
    return signed.stream()
        .map(field -> field.name() + ":" + field.value().strip().replaceAll(" +", " ") + "\n")
        .collect(Collectors.joining());
  }

  /** Returns the pairs in order; names and values are encoded already. */
  private static String canonicalQuery(String query) {
    return Stream.of(query.split("&"))
        .map(pair -> pair.indexOf('=') < 0 ? pair + "=" : pair)
        .sorted()
        .collect(Collectors.joining("&"));
  }

  /**
   * Percent-encodes all characters but letters, digits and four marks. In the canonical request, a
   * path that is encoded already is encoded once more, except for S3.
   *
   * @param path true to keep slashes
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
}
