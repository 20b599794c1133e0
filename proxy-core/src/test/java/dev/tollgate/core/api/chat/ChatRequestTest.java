package dev.tollgate.core.api.chat;

import static dev.tollgate.core.api.ChatBodies.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ChatBodies;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.testkit.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules of a chat request: every rule at its bounds, all issues at once. */
class ChatRequestTest {
  private static final String ACCEPTED =
      """
      "stream":true
      "stream":false
      "stream":null
      "stream_options":null
      "stream_options":{}
      "n":1
      "n":null
      "temperature":0
      "temperature":2
      "temperature":2.0e0
      "temperature":-0
      "temperature":null
      "top_p":0
      "top_p":1
      "top_p":null
      "max_tokens":1
      "max_tokens":9223372036854775807
      "max_tokens":null
      "max_completion_tokens":1
      "max_completion_tokens":null
      "presence_penalty":-2
      "presence_penalty":2
      "frequency_penalty":-2.0
      "frequency_penalty":null
      "seed":-9223372036854775807
      "seed":9223372036854775807
      "seed":null
      "logprobs":true
      "logprobs":null
      "top_logprobs":0
      "top_logprobs":20
      "parallel_tool_calls":false
      "user":""
      "user":null
      "logit_bias":{}
      "logit_bias":{"1":-100,"2":100}
      "logit_bias":null
      "stop":"x"
      "stop":[]
      "stop":["a","b"]
      "stop":null
      "tools":[]
      "tools":null
      "tools":[{"type":"function","function":{"name":"f"}}]
      "tools":[{"type":"custom","custom":{"name":"c"}}]
      "tool_choice":"auto"
      "tool_choice":{"type":"function"}
      "tool_choice":null
      "response_format":{"type":"text"}
      "response_format":{"type":"json_object"}
      "response_format":{"type":"json_schema","json_schema":{}}
      "response_format":null
      "routing":null
      "routing":{}
      "routing":"priority"
      "routing":{"strategy":"priority","order":["a"],"only":null}
      "provider":{"order":["acme"]}
      "unknown":[1,{"x":null}]
      "unknown":1,"unknown":2
      "\\u0073tream":true
      "metadata":{"model":"a","model":"b","Model":"c"}
      """;

  private static final String REFUSED =
      """
      "stream":1 | stream
      "stream":[] | stream
      "stream_options":true | stream_options
      "stream_options":[] | stream_options
      "stream_options":"x" | stream_options
      "stream":true,"stream_options":1 | stream_options
      "n":0 | n
      "n":2 | n
      "n":1.5 | n
      "n":true | n
      "temperature":2.0000001 | temperature
      "temperature":-0.0000001 | temperature
      "temperature":1e999 | temperature
      "temperature":true | temperature
      "top_p":1.1 | top_p
      "top_p":-1 | top_p
      "top_p":"1" | top_p
      "max_tokens":0 | max_tokens
      "max_tokens":-1 | max_tokens
      "max_tokens":9223372036854775808 | max_tokens
      "max_tokens":"5" | max_tokens
      "max_completion_tokens":0 | max_completion_tokens
      "max_completion_tokens":1.5 | max_completion_tokens
      "presence_penalty":2.1 | presence_penalty
      "frequency_penalty":-2.1 | frequency_penalty
      "seed":1.5 | seed
      "seed":"1" | seed
      "logprobs":1 | logprobs
      "top_logprobs":21 | top_logprobs
      "top_logprobs":-1 | top_logprobs
      "parallel_tool_calls":"yes" | parallel_tool_calls
      "user":1 | user
      "logit_bias":[] | logit_bias
      "logit_bias":{"1":100.1} | logit_bias.1
      "logit_bias":{"1":-101} | logit_bias.1
      "logit_bias":{"1":"0"} | logit_bias.1
      "stop":1 | stop
      "stop":["a",1] | stop[1]
      "stop":[null] | stop[0]
      "tools":{} | tools
      "tools":[1] | tools[0]
      "tools":[{}] | tools[0].type
      "tools":[{"type":null}] | tools[0].type
      "tools":[{"type":"function"}] | tools[0].function
      "tools":[{"type":"function","function":[]}] | tools[0].function
      "tools":[{"type":"function","function":{}}] | tools[0].function.name
      "tools":[{"type":"function","function":{"name":""}}] | tools[0].function.name
      "tools":[{"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"f"}}] | tools[1]
      "tools":[{"type":"custom"}] | tools[0].custom
      "tools":[{"type":"custom","custom":{"name":1}}] | tools[0].custom.name
      "tool_choice":1 | tool_choice
      "tool_choice":[] | tool_choice
      "response_format":"json_object" | response_format
      "response_format":{} | response_format.type
      "response_format":{"type":"xml"} | response_format.type
      "routing":1 | routing
      "routing":[] | routing
      "routing":"best" | routing.strategy
      "routing":{"strategy":1} | routing.strategy
      "routing":{"strategy":"Priority"} | routing.strategy
      "routing":{"order":"a"} | routing.order
      "routing":{"only":[1]} | routing.only[0]
      "routing":{"allow_fallbacks":1} | routing.allow_fallbacks
      "routing":{"require_parameters":"yes"} | routing.require_parameters
      "routing":{"models":["acme/"]} | routing.models[0]
      "routing":{"models":["a/b","a/c",3]} | routing.models[2]
      "routing":{"models":["a/1","a/2","a/3","a/4","a/5","a/6","a/7","a/8","a/9"]} | routing.models
      "routing":{"max_price":1} | routing.max_price
      "routing":{"max_price":{"prompt":-1}} | routing.max_price.prompt
      "routing":{"max_price":{"image":"cheap"}} | routing.max_price.image
      "routing":{"max_price":{"request":true}} | routing.max_price.request
      "routing":{"preferred_max_latency_ms":0} | routing.preferred_max_latency_ms
      "routing":{"timeout_ms":1.5} | routing.timeout_ms
      "routing":{"timeout_ms":86400001} | routing.timeout_ms
      "routing":{"hedge_after_ms":"5"} | routing.hedge_after_ms
      "routing":{"resume":"yes"} | routing.resume
      "routing":{"session_id":""} | routing.session_id
      "routing":{"session_id":7} | routing.session_id
      "provider":{"session_id":7} | provider.session_id
      "provider":{"ignore":{}} | provider.ignore
      "model":"acme/m2" | model
      "\\u006dodel":"acme/m2" | model
      "messages":[] | messages
      "stream":true,"stream":true | stream
      "routing":{},"routing":{} | routing
      "functions":[],"functions":[] | functions
      "Functions":[] | Functions
      "Stream":true | Stream
      "STREAM_OPTIONS":{} | STREAM_OPTIONS
      "Routing":{} | Routing
      "N":2 | N
      "\\u004dodel":1 | Model
      `"\u017ftream":true` | \u017ftream
      `"max_to\u212aens":1` | max_to\u212aens
      """;

  private static final String USER = "{\"role\":\"user\",\"content\":\"hi\"}";

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = ACCEPTED)
  void aMemberWithinItsBoundsIsAccepted(String members) {
    assertThat(ChatBodies.valid(with(members)).target().model()).isEqualTo("acme/m1");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = REFUSED)
  void aMemberBeyondItsBoundsIsRefusedByName(String members, String param) {
    Fault fault = ChatBodies.refused(with(members));
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo(param);
    assertThat(ChatBodies.params(fault)).contains(param);
    assertThat(fault.message()).startsWith(param);
  }

  @Test
  void aBoundWithOneValueIsToldAsThatValue() {
    assertThat(ChatBodies.refused(with("\"n\":2")).message()).isEqualTo("n: must be 1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"role\":\"system\",\"content\":\"x\"}",
        "{\"role\":\"developer\",\"content\":\"\"}",
        "{\"role\":\"user\",\"content\":[]}",
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"new\"}]}",
        "{\"role\":\"assistant\"}",
        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[]}",
        "{\"role\":\"tool\",\"content\":\"x\",\"tool_call_id\":\"1\"}",
        "{\"role\":\"function\",\"name\":\"f\",\"content\":null}",
        "{\"content\":\"x\",\"\\u0072ole\":\"us\\u0065r\"}"
      })
  void aMessageOfAKnownShapeIsAccepted(String message) {
    assertThat(ChatBodies.valid("{\"messages\":[" + message + "],\"model\":\"acme/m1\"}"))
        .isNotNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[] | messages",
        "{} | messages",
        "null | messages",
        "\"hi\" | messages",
        "[1] | messages[0]",
        "[null] | messages[0]",
        "[{}] | messages[0].role",
        "[{\"role\":1,\"content\":\"x\"}] | messages[0].role",
        "[{\"role\":\"User\",\"content\":\"x\"}] | messages[0].role",
        "[{\"role\":\"user\"}] | messages[0].content",
        "[{\"role\":\"user\",\"content\":null}] | messages[0].content",
        "[{\"role\":\"tool\"}] | messages[0].content",
        "[{\"role\":\"user\",\"content\":{}}] | messages[0].content",
        "[{\"role\":\"user\",\"content\":true}] | messages[0].content",
        "[{\"role\":\"user\",\"content\":[\"x\"]}] | messages[0].content[0]",
        "[{\"role\":\"user\",\"content\":[{}]}] | messages[0].content[0].type",
        "[{\"role\":\"user\",\"content\":[{\"type\":1}]}] | messages[0].content[0].type",
        "[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"type\":\"text\"}]}]"
            + " | messages[0].content[0].type",
        "[{\"role\":\"user\",\"content\":\"x\",\"content\":[]}] | messages[0].content",
        "[{\"role\":\"assistant\",\"content\":null,\"content\":\"x\"}] | messages[0].content",
        "[{\"role\":\"user\",\"content\":[],\"conten\\u0074\":[]}] | messages[0].content",
        "[{\"role\":\"user\",\"content\":\"x\",\"Content\":[]}] | messages[0].Content",
        "[{\"role\":\"user\",\"content\":\"x\",\"\\u0043ontent\":[]}] | messages[0].Content",
        "[{\"role\":\"user\",\"role\":\"user\",\"content\":\"x\"}] | messages[0].role",
        "[{\"role\":\"assistant\",\"tool_calls\":[],\"Tool_calls\":[]}] | messages[0].Tool_calls",
        "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"id\":\"b\"}]}]"
            + " | messages[0].tool_calls[0].id",
        "[{\"role\":\"assistant\",\"tool_calls\":[{\"function\":{\"name\":\"a\",\"Name\":\"b\"}}]}]"
            + " | messages[0].tool_calls[0].function.Name",
        "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"Type\":\"image_url\"}]}]"
            + " | messages[0].content[0].Type",
        "[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:,\","
            + "\"\\u0075rl\":\"data:,\"}}]}] | messages[0].content[0].image_url.url",
        "[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:,\","
            + "\"URL\":\"data:,\"}}]}] | messages[0].content[0].image_url.URL",
        "[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":\"data:,\","
            + "\"image_url\":\"data:,\"}]}] | messages[0].content[0].image_url",
      })
  void aMessageOfAnotherShapeIsRefusedByName(String messages, String param) {
    Fault fault = ChatBodies.refused("{\"model\":\"acme/m1\",\"messages\":" + messages + "}");
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(ChatBodies.params(fault)).containsExactly(param);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1",
        "null",
        "\"\"",
        "\"acme//m1\"",
        "\"/m1\"",
        "\"acme/\"",
        "\"a b/c\"",
        "\"acme/m\\u00e9\"",
        "[\"acme/m1\"]",
        "\"acme\\uff0fm1\"",
        "\"acme/m\\n1\""
      })
  void aModelThatIsNoIdIsRefused(String model) {
    Fault fault = ChatBodies.refused("{\"model\":" + model + ",\"messages\":[" + USER + "]}");
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(ChatBodies.params(fault)).containsExactly("model");
  }

  @Test
  void everyIssueIsReportedAtOnceTheMissingMembersFirstThenTheVariants() {
    Fault fault =
        ChatBodies.refused(
            "{\"temperature\":9,\"Messages\":[],\"n\":3,\"stream\":true,\"MODEL\":1,\"stream\":1}");
    assertThat(ChatBodies.params(fault))
        .containsExactly(
            "model", "messages", "Messages", "MODEL", "stream", "temperature", "n", "stream");
    assertThat(fault.param()).isEqualTo("model");
  }

  @Test
  void aMissingMemberComesBeforeABadOne() {
    assertThat(ChatBodies.params(ChatBodies.refused("{\"model\":1}")))
        .containsExactly("messages", "model");
  }

  @Test
  void issuesInManyMessagesNameEachOfThem() {
    Fault fault =
        ChatBodies.refused(
            "{\"model\":\"acme/m1\",\"messages\":[" + USER + ",1,{\"role\":\"user\"}]}");
    assertThat(ChatBodies.params(fault)).containsExactly("messages[1]", "messages[2].content");
  }

  @Test
  void aHostileBodyGetsABoundedAnswer() {
    String messages = IntStream.range(0, 5_000).mapToObj(i -> "1").collect(Collectors.joining(","));
    Fault fault = ChatBodies.refused("{\"model\":\"acme/m1\",\"messages\":[" + messages + "]}");
    assertThat(ChatBodies.params(fault)).hasSizeBetween(10, 100);
  }

  @Test
  void aRoutingStrategyThatIsNotBuiltIsAnswered501() {
    for (String name : List.of("\"smart\"", "{\"strategy\":\"smart\"}")) {
      Fault fault = ChatBodies.refused(with("\"routing\":" + name));
      assertThat(fault.code()).isEqualTo(ErrorCode.NOT_IMPLEMENTED);
      assertThat(fault.shouldRetry()).isEqualTo(false);
    }
    Fault both = ChatBodies.refused(with("\"routing\":\"smart\",\"n\":2"));
    assertThat(both.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void nestingHasItsBoundOutsideAndInsideOfSchemas() {
    assertThat(ChatBodies.valid(with("\"x\":" + nested(63)))).isNotNull();
    assertThat(ChatBodies.refused(with("\"x\":" + nested(64))).param()).isNull();
    String schema = "{\"type\":\"json_schema\",\"json_schema\":" + nested(190) + "}";
    assertThat(ChatBodies.valid(with("\"response_format\":" + schema))).isNotNull();
    assertThat(ChatBodies.refused(with("\"x\":" + nested(5_000))).code())
        .isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  private static String nested(int depth) {
    return "[".repeat(depth) + "]".repeat(depth);
  }

  @Test
  void upTo256MembersAndNamesOf1024BytesAreAccepted() {
    String members =
        IntStream.range(2, 256).mapToObj(i -> "\"k" + i + "\":1").collect(Collectors.joining(","));
    assertThat(ChatBodies.valid(with(members))).isNotNull();
    assertThat(ChatBodies.refused(with(members + ",\"k256\":1")).param()).isNull();
    assertThat(ChatBodies.valid(with("\"" + "a".repeat(1_024) + "\":1"))).isNotNull();
    assertThat(ChatBodies.refused(with("\"" + "a".repeat(1_025) + "\":1")).code())
        .isEqualTo(ErrorCode.VALIDATION_FAILED);
  }

  @Test
  void onlyTheBytesOfTheBodyAreRead() {
    byte[] body = ChatBodies.with("").getBytes(StandardCharsets.UTF_8);
    byte[] larger = Arrays.copyOf(body, body.length + 10);
    Arrays.fill(larger, body.length, larger.length, (byte) '}');
    assertThat(ChatRequest.parse(larger, body.length)).isInstanceOf(ParseResult.Valid.class);
    assertThat(ChatRequest.parse(larger, larger.length)).isInstanceOf(ParseResult.Refused.class);
  }

  @Test
  void theEstimateIsTheWorstCaseAndNeverOverflows() {
    var bounded = Samples.model("acme/m1", Modality.CHAT, Samples.PRICES, 1_000, 100);
    String many = "\"max_tokens\":9223372036854775807";
    // 2.5 and 10 micro-USD per token; the text of [{"role":"user","content":"hi"}] is 32 bytes.
    assertThat(ChatBodies.valid(with("")).estimate(bounded))
        .isEqualTo(new MicroUsd(32 * 5 / 2 + 1_000));
    assertThat(ChatBodies.valid(with(many)).estimate(bounded))
        .isEqualTo(new MicroUsd(32 * 5 / 2 + 1_000));
    assertThat(ChatBodies.valid(with("\"max_tokens\":5")).estimate(bounded))
        .isEqualTo(new MicroUsd(32 * 5 / 2 + 50));
    assertThat(
            ChatBodies.valid(with("\"max_tokens\":5,\"max_completion_tokens\":7"))
                .estimate(bounded))
        .isEqualTo(new MicroUsd(32 * 5 / 2 + 70));
    var unbounded = Samples.model("acme/m1", Modality.CHAT, Samples.PRICES, 0, 0);
    assertThat(ChatBodies.valid(with(many)).estimate(unbounded).value()).isPositive();
    assertThat(ChatBodies.valid(with("")).estimate(unbounded)).isEqualTo(new MicroUsd(80 + 40_960));
  }

  @Test
  void schemasCountAsPromptAndImagesDoNotCountAsText() {
    long plain = ChatBodies.valid(with("")).prompt().tokensSetAside();
    String schema = "{\"type\":\"json_schema\",\"json_schema\":\"" + "x".repeat(400) + "\"}";
    assertThat(ChatBodies.valid(with("\"response_format\":" + schema)).prompt().tokensSetAside())
        .isGreaterThanOrEqualTo(plain + 100);
    String image =
        "{\"model\":\"acme/m1\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
            + "\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,"
            + "A".repeat(1_000_000)
            + "\"}}]}]}";
    assertThat(ChatBodies.valid(image).prompt().tokensSetAside()).isBetween(1_000L, 3_000L);
  }

  /** Byte-level tokenizers can make a token of each byte. */
  @Test
  void theEstimateCountsEveryByteThatMayBeText() {
    var priced = TokenPrices.of(1_000_000, 1_000_000);
    var model = Samples.model("acme/m1", Modality.CHAT, PriceList.ofTokens(priced), 0, 0);
    Seeds.forEach(
        random -> {
          long bytes = 0;
          List<String> parts = new ArrayList<>();
          for (int n = 1 + random.nextInt(5); n > 0; n--) {
            String text = "\u00e9".repeat(1 + random.nextInt(5_000));
            boolean media = random.nextBoolean();
            String type = List.of("text", "refusal", "thinking", "new").get(random.nextInt(4));
            parts.add(
                media
                    ? "{\"type\":\"image_url\",\"image_url\":{\"url\":\"u\"},\"x\":\""
                        + text
                        + "\"}"
                    : "{\"type\":\"" + type + "\",\"" + type + "\":\"" + text + "\"}");
            bytes += 2L * text.length();
          }
          String body =
              "{\"model\":\"acme/m1\",\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":["
                  + String.join(",", parts)
                  + "]}]}";
          assertThat(ChatBodies.valid(body).estimate(model).value()).isGreaterThan(bytes);
        });
  }

  @Test
  void theBytesOfKnownMediaAreNoText() {
    for (String[] known :
        new String[][] {{"image_url", "url"}, {"input_audio", "data"}, {"file", "file_data"}}) {
      assertThat(medium(known[0], known[1]).prompt().tokensSetAside())
          .as(known[0])
          .isBetween(1_000L, 3_000L);
      assertThat(medium(known[0], "caption").prompt().tokensSetAside())
          .as("text beside the medium of " + known[0])
          .isGreaterThan(250_000);
    }
  }

  private static ChatRequest medium(String type, String member) {
    String value = "{\"" + member + "\":\"" + "A".repeat(1_000_000) + "\"}";
    String part = "{\"type\":\"" + type + "\",\"" + type + "\":" + value + "}";
    return ChatBodies.valid(
        "{\"model\":\"acme/m1\",\"messages\":[{\"role\":\"user\",\"content\":[" + part + "]}]}");
  }
}
