package dev.tollgate.core.aws;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.Field;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Signatures equal the examples of S3's documentation. */
class S3SignatureTest {
  private static final Instant NOW = Instant.parse("2013-05-24T00:00:00Z");
  private static final String HOST = "examplebucket.s3.amazonaws.com";
  private static final Secret SECRET = new Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
  private static final S3Signature SIGNATURE =
      new S3Signature(
          new AwsCredentials("us-east-1", "AKIAIOSFODNN7EXAMPLE", SECRET, Optional.empty()));

  private static String authorization(List<Field> fields) {
    return fields.stream()
        .filter(field -> field.name().equals("authorization"))
        .map(Field::value)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aGetOfAPart() {
    List<Field> fields =
        SIGNATURE.fields(
            "GET",
            HOST,
            "/test.txt",
            List.of(new Field("range", "bytes=0-9")),
            S3Signature.EMPTY_SHA256,
            NOW);
    assertThat(authorization(fields))
        .isEqualTo(
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                + " SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature="
                + "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    assertThat(S3Signature.EMPTY_SHA256)
        .isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  }

  @Test
  void aPutWithItsBodysHashAndAPathThatIsEncodedOnce() {
    MessageDigest digest = S3Signature.newDigest();
    digest.update("Welcome to Amazon S3.".getBytes(UTF_8));
    List<Field> fields =
        SIGNATURE.fields(
            "PUT",
            HOST,
            "/test%24file.text",
            List.of(
                new Field("x-amz-storage-class", "REDUCED_REDUNDANCY"),
                new Field("date", "Fri, 24 May 2013 00:00:00 GMT")),
            S3Signature.hash(digest),
            NOW);
    assertThat(authorization(fields))
        .contains("SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,")
        .endsWith("=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
  }

  @Test
  void aPresignedUrl() {
    assertThat(SIGNATURE.presignedQuery(HOST, "/test.txt", Duration.ofDays(1), NOW))
        .isEqualTo(
            "X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature="
                + "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
  }

  @Test
  void aSessionIsSignedToo() {
    var session =
        new AwsCredentials("us-east-1", "AKIA", SECRET, Optional.of(new Secret("a+b/c=")));
    var signature = new S3Signature(session);
    assertThat(signature.presignedQuery(HOST, "/x", Duration.ofHours(1), NOW))
        .contains("&X-Amz-Security-Token=a%2Bb%2Fc%3D&X-Amz-SignedHeaders=host&");
    assertThat(
            authorization(
                signature.fields("GET", HOST, "/x", List.of(), S3Signature.EMPTY_SHA256, NOW)))
        .contains("x-amz-date;x-amz-security-token,");
  }
}
