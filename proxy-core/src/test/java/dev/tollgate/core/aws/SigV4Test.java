package dev.tollgate.core.aws;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.BodySha256;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.UnsignedRequest;
import dev.tollgate.core.testkit.AwsSignature;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Signatures equal those published by AWS, those of its SDK, and those of an independent verifier.
 */
class SigV4Test {
  private static final Instant NOW = Instant.parse("2015-08-30T12:36:00Z");
  private static final Secret SECRET = new Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
  private static final AwsCredentials KEYS =
      new AwsCredentials("us-east-1", "AKIDEXAMPLE", SECRET, Optional.empty());
  private static final AwsCredentials OF_SESSION =
      new AwsCredentials("us-east-1", "AKIDEXAMPLE", SECRET, Optional.of(new Secret("token+/=")));
  private static final String BEDROCK = "bedrock-runtime.us-east-1.amazonaws.com";

  private static UnsignedRequest call(
      String method, String target, String host, String type, String... body) {
    List<ByteBuf> parts =
        List.of(body).stream().map(part -> Unpooled.wrappedBuffer(part.getBytes(UTF_8))).toList();
    return new UnsignedRequest(method, target, host, type, new BodySha256(parts), NOW);
  }

  private static Map<String, String> signed(
      AwsCredentials keys, String service, UnsignedRequest call) {
    return new SigV4(keys, service)
        .sign(call).stream().collect(Collectors.toMap(Field::name, Field::value));
  }

  private static String signature(AwsCredentials keys, String service, UnsignedRequest call) {
    String field = signed(keys, service, call).getOrDefault("authorization", "");
    return field.substring(field.indexOf("Signature=") + 10);
  }

  /** Of the published test suite: get-vanilla, post-vanilla and a form; and of the manual. */
  @Test
  void publishedExamplesComeOut() {
    String host = "example.amazonaws.com";
    assertThat(signature(KEYS, "service", call("GET", "/", host, "")))
        .isEqualTo("5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
    assertThat(signature(KEYS, "service", call("POST", "/", host, "")))
        .isEqualTo("5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
    String form = "application/x-www-form-urlencoded";
    assertThat(signature(KEYS, "service", call("POST", "/", host, form, "Param1=value1")))
        .isEqualTo("ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a");
    UnsignedRequest users =
        call(
            "GET",
            "/?Version=2010-05-08&Action=ListUsers",
            "iam.amazonaws.com",
            form + "; charset=utf-8");
    assertThat(signed(KEYS, "iam", users).get("authorization"))
        .isEqualTo(
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request,"
                + " SignedHeaders=content-type;host;x-amz-date, Signature="
                + "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
  }

  /** As AWS's SDK for Python signed the same: a path that is encoded already is encoded again. */
  @Test
  void aModelsColonsAndSlashesAreEncodedTwice() {
    String json = "application/json";
    UnsignedRequest haiku =
        call(
            "POST",
            "/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse",
            BEDROCK,
            json,
            "{\"messages\"",
            ":[]}");
    assertThat(signature(OF_SESSION, "bedrock", haiku))
        .isEqualTo("bd6a8f8dc9a0584af7277c55fce52e3fab6e6bc31e8f996e1c441cbeaae5baef");
    assertThat(signed(OF_SESSION, "bedrock", haiku))
        .containsEntry("x-amz-date", "20150830T123600Z")
        .containsEntry("x-amz-security-token", "token+/=");
    String arn =
        "arn:aws:bedrock:us-east-1:123456789012:inference-profile/"
            + "us.anthropic.claude-3-haiku-20240307-v1:0";
    String target = "/model/" + SigV4.encoded(arn, false) + "/converse-stream";
    assertThat(target).contains("arn%3Aaws%3Abedrock").contains("profile%2Fus.anthropic");
    assertThat(signature(KEYS, "bedrock", call("POST", target, BEDROCK, json, "{\"messages\":[]}")))
        .isEqualTo("ba8553761117ba366f0f25b55ee9689e1aeb88b074bc6929430c6172f40eaa71");
  }

  /** The verifier of the scripted provider was written from the documents alone. */
  @Test
  void whatIsSignedIsVerifiedByASecondReading() {
    var random = new Random(7);
    for (int round = 0; round < 200; round++) {
      String model = word(random, "abz09.-:/_~ é%+");
      String body = word(random, "{}\"é \n");
      UnsignedRequest call =
          call(
              "POST",
              "/model/"
                  + SigV4.encoded(model, false)
                  + "/converse"
                  + (round % 3 == 0 ? "?b=1&a" : ""),
              BEDROCK,
              "application/json",
              body);
      AwsCredentials keys = round % 2 == 0 ? KEYS : OF_SESSION;
      Map<String, String> head = new TreeMap<>(signed(keys, "bedrock", call));
      head.put("host", BEDROCK);
      head.put("content-type", "application/json");
      byte[] bytes = body.getBytes(UTF_8);
      assertThat(
              AwsSignature.isValid("POST", call.target(), head, bytes, SECRET.reveal(), "bedrock"))
          .as(call.target())
          .isTrue();
      head.put("host", "other");
      assertThat(
              AwsSignature.isValid("POST", call.target(), head, bytes, SECRET.reveal(), "bedrock"))
          .isFalse();
    }
  }

  private static String word(Random random, String alphabet) {
    StringBuilder word = new StringBuilder("m");
    for (int i = random.nextInt(12); i > 0; i--) {
      word.append(alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return word.toString();
  }

  @Test
  void theBodyStaysAsItIs() {
    ByteBuf body = Unpooled.wrappedBuffer("abc".getBytes(UTF_8));
    var hash = new BodySha256(List.of(body));
    signed(KEYS, "bedrock", new UnsignedRequest("POST", "/", BEDROCK, "", hash, NOW));
    assertThat(body.toString(UTF_8)).isEqualTo("abc");
  }

  @Test
  void keysSurviveBeingKeptAsOneSecret() {
    assertThat(AwsCredentials.of(OF_SESSION.packed())).contains(OF_SESSION);
    assertThat(AwsCredentials.of(KEYS.packed())).contains(KEYS);
    assertThat(AwsCredentials.of(new Secret("bedrock-api-key-YmVk"))).isEmpty();
    assertThat(KEYS.packed()).hasToString("***");
    assertThat(KEYS.toString()).doesNotContain(SECRET.reveal());
  }
}
