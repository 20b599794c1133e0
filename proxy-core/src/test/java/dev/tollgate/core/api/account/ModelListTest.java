package dev.tollgate.core.api.account;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.api.account.ModelList.QueryResult;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.ModelNames;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.PriceList.ImagePrice;
import dev.tollgate.core.money.PriceList.Tier;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * GET /v1/models: the part of the catalog that a key sees, and its form
 * (docs/decisions/models.md#list).
 */
class ModelListTest {
  private static final PriceList TIERED =
      new PriceList(
          TokenPrices.of(2_500_000, 10_000_000),
          List.of(new Tier(200_000, TokenPrices.of(5_000_000, 20_000_000))),
          0,
          0,
          0,
          List.of(),
          0,
          0);
  private static final PriceList PER_IMAGE =
      new PriceList(
          TokenPrices.ZERO,
          List.of(),
          0,
          0,
          0,
          List.of(new ImagePrice(Optional.empty(), Optional.empty(), 40_000_000_000L)),
          0,
          0);
  private static final Catalog CATALOG =
      new Catalog(
          List.of(Samples.provider(true)),
          List.of(
              Samples.model("acme/m1", Modality.CHAT, TIERED, 128_000, 4_096),
              Samples.model("acme/img", Modality.IMAGE, PER_IMAGE, 0, 0),
              Samples.model("other/x/y", Modality.CHAT, PriceList.FREE, 0, 0)));

  @Test
  void theListHasTheShapeThatSdksRead() {
    JsonNode list = list(key(Set.of(), Set.of()), "");
    assertThat(list.path("object").asText()).isEqualTo("list");
    assertThat(list.path("total_count").intValue()).isEqualTo(3);
    assertThat(list.path("links").get("next").isNull()).isTrue();
    assertThat(ids(list)).containsExactly("acme/m1", "acme/img", "other/x/y");
  }

  @Test
  void anItemHasAllMembersOfItsModel() {
    assertThat(list(key(Set.of(), Set.of()), "").path("data").get(0))
        .isEqualTo(
            ClientView.tree(
                """
                {"id":"acme/m1","aliases":[],"object":"model","created":1790000000,"owned_by":"acme",
                 "name":"Name of acme/m1","description":"About acme/m1","modality":"chat",
                 "context_length":128000,"max_output_tokens":4096,
                 "architecture":{"input_modalities":["text"],"output_modalities":["text"]},
                 "supported_parameters":["frequency_penalty","logit_bias","logprobs",
                  "max_completion_tokens","max_tokens","presence_penalty","response_format","seed",
                  "stop","stream","temperature","tool_choice","tools","top_logprobs","top_p","user"],
                 "capabilities":{"streaming":true,"tools":true,"vision":false,"json_schema":false,
                  "reasoning":false},
                 "pricing":{"prompt":"0.0000025","completion":"0.00001",
                  "input_cache_read":"0.0000025","input_cache_write":"0.0000025",
                  "input_cache_write_1h":"0.0000025","internal_reasoning":"0.00001","audio":"0.0000025",
                  "audio_output":"0.00001","request":"0",
                  "overrides":[{"min_prompt_tokens":200000,"prompt":"0.000005",
                   "completion":"0.00002","input_cache_read":"0.000005",
                   "input_cache_write":"0.000005",
                   "input_cache_write_1h":"0.000005","internal_reasoning":"0.00002",
                   "audio":"0.000005","audio_output":"0.00002"}]},
                 "pricing_micro":{"prompt":2500000,"completion":10000000,
                  "input_cache_read":2500000,"input_cache_write":2500000,"input_cache_write_1h":2500000,
                  "internal_reasoning":10000000,"audio":2500000,
                  "audio_output":10000000,"request":0,
                  "overrides":[{"min_prompt_tokens":200000,"prompt":5000000,
                   "completion":20000000,"input_cache_read":5000000,
                   "input_cache_write":5000000,
                   "input_cache_write_1h":5000000,"internal_reasoning":20000000,
                   "audio":5000000,"audio_output":20000000}]},
                 "providers":["acme-eu"]}
                """));
  }

  @Test
  void aModelOfAnotherModalityShowsItsOwnUnit() {
    JsonNode image = list(key(Set.of(), Set.of()), "modality=image").path("data").get(0);
    assertThat(image.path("pricing").path("per_image").asText()).isEqualTo("0.04");
    assertThat(image.path("pricing_micro").path("per_image").longValue()).isEqualTo(40_000);
    assertThat(image.path("architecture").path("output_modalities").get(0).asText())
        .isEqualTo("image");
    assertThat(image.get("context_length").isNull()).isTrue();
    assertThat(image.path("supported_parameters").toString())
        .isEqualTo(
            "[\"input_images\",\"n\",\"quality\",\"response_format\",\"size\",\"style\",\"user\"]");
  }

  @Test
  void everyKindOfPriceIsShownWhereAModelHasIt() {
    PriceList all =
        new PriceList(
            new TokenPrices(1, 2, 3, 4, 5, 6, 7, 8),
            List.of(),
            9_000_000,
            15_000_000,
            100_000_000,
            List.of(
                new ImagePrice(Optional.of("1024x1024"), Optional.of("hd"), 80_000_000_000L),
                new ImagePrice(Optional.of("1024x1024"), Optional.empty(), 40_000_000_000L)),
            500_000_000_000L,
            1_000_000);
    Catalog catalog =
        new Catalog(
            List.of(Samples.provider(true)),
            List.of(Samples.model("acme/all", Modality.CHAT, all, 0, 0)));
    JsonNode entry = list(key(Set.of(), Set.of()), catalog, "").path("data").path(0);
    assertThat(entry.path("pricing"))
        .isEqualTo(
            ClientView.tree(
                """
                {"prompt":"0.000000000001","completion":"0.000000000006",
                 "input_cache_read":"0.000000000002","input_cache_write":"0.000000000003",
                 "input_cache_write_1h":"0.000000000004","internal_reasoning":"0.000000000007",
                 "audio":"0.000000000005","audio_output":"0.000000000008","request":"0.000009",
                 "per_image":"0.08",
                 "images":[{"size":"1024x1024","quality":"hd","price":"0.08"},
                  {"size":"1024x1024","price":"0.04"}],
                 "per_character":"0.000015","per_audio_second":"0.0001",
                 "per_video_second":"0.5","per_music_second":"0.000001"}
                """));
    assertThat(entry.path("pricing_micro"))
        .isEqualTo(
            ClientView.tree(
                """
                {"prompt":1,"completion":6,"input_cache_read":2,"input_cache_write":3,
                 "input_cache_write_1h":4,"internal_reasoning":7,"audio":5,"audio_output":8,
                 "request":9,"per_image":80000,
                 "images":[{"size":"1024x1024","quality":"hd","price":80000},
                  {"size":"1024x1024","price":40000}],
                 "per_character":15000000,"per_audio_second":100,"per_video_second":500000,
                 "per_music_second":1}
                """));
  }

  @Test
  void aModelIsListedOnceWithItsAliases() {
    Catalog plain = CATALOG;
    var names =
        new ModelNames(
            plain.models(),
            Map.of(ModelId.parse("acme/m1").orElseThrow(), List.of("gpt-4o", "best")),
            List.of());
    Catalog catalog = new Catalog(plain.providers(), plain.models(), RoutingRules.DEFAULT, names);
    ApiKey key = key(Set.of("acme/m*"), Set.of());
    JsonNode list = list(key, catalog, "");
    assertThat(ids(list)).containsExactly("acme/m1");
    JsonNode item = list.path("data").path(0);
    assertThat(item.path("aliases")).hasToString("[\"gpt-4o\",\"best\"]");
    for (String name : List.of("acme/m1", "gpt-4o", "m1")) {
      QueryResult one = ModelList.one(catalog, key, name);
      assertThat(ClientView.tree(((QueryResult.Found) one).json().toString())).isEqualTo(item);
    }
  }

  @Test
  void aKeySeesOnlyWhatItMayUse() {
    assertThat(ids(list(key(Set.of("acme/m1", "no/such"), Set.of()), "")))
        .containsExactly("acme/m1");
    assertThat(ids(list(key(Set.of(), Set.of("image")), ""))).containsExactly("acme/img");
    JsonNode nothing = list(key(Set.of("no/such"), Set.of()), "");
    assertThat(nothing.path("data").isArray()).isTrue();
    assertThat(nothing.path("data")).isEmpty();
    assertThat(nothing.path("total_count").intValue()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "limit=2, acme/m1 acme/img, /v1/models?offset=2&limit=2",
        "offset=2&limit=2, other/x/y, -",
        "offset=1&limit=1, acme/img, /v1/models?offset=2&limit=1",
        "offset=3, '', -",
        "offset=999999999, '', -",
        "limit=0, '', -",
        "limit=999999999, acme/m1 acme/img other/x/y, -",
        "modality=chat&limit=1, acme/m1, /v1/models?offset=1&limit=1&modality=chat",
        "modality=chat&offset=1, other/x/y, -",
        "modality=video, '', -",
        "unknown=1&&=&x, acme/m1 acme/img other/x/y, -",
        "limit=&offset=, acme/m1 acme/img other/x/y, -"
      })
  void theListIsCutAsRequested(String query, String ids, String next) {
    JsonNode list = list(key(Set.of(), Set.of()), query);
    assertThat(String.join(" ", ids(list))).isEqualTo(ids);
    assertThat(list.path("links").path("next").asText()).isEqualTo(next == null ? "null" : next);
  }

  @ParameterizedTest
  @CsvSource({
    "limit=-1, limit",
    "limit=x, limit",
    "offset=1.5, offset",
    "offset=9999999999, offset",
    "modality=chats, modality",
    "modality=, modality",
    "modality=Chat, modality"
  })
  void aQueryThatMakesNoSenseIsRefusedByName(String query, String param) {
    QueryResult answer = ModelList.list(CATALOG, key(Set.of(), Set.of()), query);
    Fault fault = ((QueryResult.Refused) answer).fault();
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo(param);
  }

  @Test
  void oneModelIsTheItemOfTheList() {
    ApiKey key = key(Set.of(), Set.of());
    QueryResult answer = ModelList.one(CATALOG, key, "acme/m1");
    assertThat(ClientView.tree(((QueryResult.Found) answer).json().toString()))
        .isEqualTo(list(key, "").path("data").get(0));
    assertThat(ModelList.one(CATALOG, key, "other/x/y")).isInstanceOf(QueryResult.Found.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"acme/none", "acme/m1", "acme", "-/-", "acme/", "a\tb/c", "acme/M1"})
  void anAbsentModelAndOneOutOfScopeLookTheSame(String id) {
    QueryResult answer = ModelList.one(CATALOG, key(Set.of("acme/img"), Set.of()), id);
    assertThat(answer)
        .isEqualTo(ModelList.one(CATALOG, key(Set.of(), Set.of("video")), "acme/img"));
    Fault fault = ((QueryResult.Refused) answer).fault();
    assertThat(fault.code()).isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(fault.message()).doesNotContain(id);
  }

  private static JsonNode list(ApiKey key, String query) {
    return list(key, CATALOG, query);
  }

  private static JsonNode list(ApiKey key, Catalog catalog, String query) {
    QueryResult answer = ModelList.list(catalog, key, query);
    return ClientView.tree(((QueryResult.Found) answer).json().toString());
  }

  private static List<String> ids(JsonNode list) {
    return StreamSupport.stream(list.path("data").spliterator(), false)
        .map(model -> model.path("id").asText())
        .toList();
  }

  private static ApiKey key(Set<String> models, Set<String> modalities) {
    return new ApiKey(
        new KeyId("abcdefgh"),
        "test",
        "wxyz",
        new Org(new OrgId(new UUID(1, 2)), "org", Org.State.ACTIVE, null),
        KeyState.ACTIVE,
        null,
        new KeyScope(models, modalities, Set.of()),
        KeyLimits.DEFAULT);
  }
}
