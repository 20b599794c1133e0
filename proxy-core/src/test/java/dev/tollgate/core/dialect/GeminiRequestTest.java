package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Chats as sent to Gemini: each feature and the JSON that it becomes. */
class GeminiRequestTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String HI = "[{\"role\":\"user\",\"content\":\"Hi.\"}]";

  private static JsonNode tree(String json) throws Exception {
    return MAPPER.readTree(json.replace('\'', '"'));
  }

  private static JsonNode body(TranslatedRequest chat) throws Exception {
    return MAPPER.readTree(chat.body().toString(UTF_8));
  }

  private static TranslatedRequest with(String model, String members) throws Exception {
    return ConfiguredModel.of("gemini", model)
        .of("{\"model\":\"g/m\",\"messages\":" + HI + "," + members.replace('\'', '"') + "}");
  }

  private static JsonNode turns(String model, String messages) throws Exception {
    TranslatedRequest chat =
        ConfiguredModel.of("gemini", model)
            .of("{\"model\":\"g/m\",\"messages\":" + messages.replace('\'', '"') + "}");
    assertThat(chat.dropped()).isEmpty();
    return body(chat);
  }

  @Test
  void aPlainChatIsItsTurns() throws Exception {
    TranslatedRequest chat =
        with(
            "gemini-2.5-flash",
            "'stream':true,'stream_options':{'include_usage':true},'n':1,'routing':'cost',"
                + "'logprobs':false,'parallel_tool_calls':true");
    assertThat(chat.dropped()).isEmpty();
    assertThat(body(chat))
        .isEqualTo(
            tree("{'contents':[{'role':'user','parts':[{'text':'Hi.'}]}],'generationConfig':{}}"));
  }

  @Test
  void whatTheSystemSaysStandsOnItsOwnAndNeighboursAreOneTurn() throws Exception {
    JsonNode body =
        turns(
            "gemini-2.5-flash",
            """
            [{'role':'system','content':'A'},{'role':'user','content':'B'},
             {'role':'developer','content':[{'type':'text','text':'C'}]},
             {'role':'user','content':[{'type':'text','text':'D\\u00e9'},{'type':'text','text':''}]},
             {'role':'assistant','content':'E'},{'role':'assistant','content':null},
             {'role':'user','content':'F'}]
            """);
    assertThat(body.path("systemInstruction"))
        .isEqualTo(tree("{'parts':[{'text':'A'},{'text':'C'}]}"));
    assertThat(body.path("contents"))
        .isEqualTo(
            tree(
                "[{'role':'user','parts':[{'text':'B'},{'text':'Dé'}]},"
                    + "{'role':'model','parts':[{'text':'E'}]},"
                    + "{'role':'user','parts':[{'text':'F'}]}]"));
  }

  @Test
  void whereOnlyTheSystemSpeaksItsLastWordIsTheUsers() throws Exception {
    JsonNode body =
        turns(
            "gemini-2.5-flash",
            "[{'role':'system','content':'A'},{'role':'developer','content':'B'}]");
    assertThat(body.path("systemInstruction")).isEqualTo(tree("{'parts':[{'text':'A'}]}"));
    assertThat(body.path("contents")).isEqualTo(tree("[{'role':'user','parts':[{'text':'B'}]}]"));
  }

  @Test
  void mediaIsHandedOnOrFetchedThere() throws Exception {
    JsonNode body =
        turns(
            "gemini-2.5-flash",
            """
            [{'role':'user','content':[
              {'type':'image_url','image_url':{'url':'data:image/png;base64,AAAA'}},
              {'type':'image_url','image_url':{'url':'https://h/a.JPG?x=1'}},
              {'type':'image_url','image_url':{'url':'https://h/a'}},
              {'type':'input_audio','input_audio':{'data':'BBBB','format':'mp3'}},
              {'type':'file','file':{'filename':'a','file_data':'data:application/pdf;base64,CC'}}]}]
            """);
    assertThat(body.path("contents").path(0).path("parts"))
        .isEqualTo(
            tree(
                "[{'inlineData':{'mimeType':'image/png','data':'AAAA'}},"
                    + "{'fileData':{'mimeType':'image/jpeg','fileUri':'https://h/a.JPG?x=1'}},"
                    + "{'fileData':{'mimeType':'image/jpeg','fileUri':'https://h/a'}},"
                    + "{'inlineData':{'mimeType':'audio/mp3','data':'BBBB'}},"
                    + "{'inlineData':{'mimeType':'application/pdf','data':'CC'}}]"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gs://b/c.png",
        "http://h/a.png",
        "https://generativelanguage.googleapis.com/v1beta/files/f",
        "https://u@Storage.GoogleAPIs.com:443/b/c",
        "https://storage%2egoogleapis.com/b/c",
        "https:///generativelanguage.googleapis.com/v1beta/files/f",
        "https://generativelanguage.googleapis\u3002com/v1beta/files/f"
      })
  void whatOnlyTheOperatorMayReadIsLeftOut(String url) throws Exception {
    String chat =
        """
        {'model':'g/m','messages':[{'role':'user','content':[{'type':'text','text':'Q'},
          {'type':'image_url','image_url':{'url':'%s'}}]}]}
        """
            .formatted(url)
            .replace('\'', '"');
    TranslatedRequest translated = ConfiguredModel.of("gemini", "gemini-2.5-flash").of(chat);
    assertThat(translated.dropped()).containsExactly("messages[0].content[1]");
    assertThat(body(translated).path("contents").path(0).path("parts"))
        .isEqualTo(tree("[{'text':'Q'}]"));
  }

  private static final String TOOL =
      "'tools':[{'type':'function','function':{'name':'f'}}],'response_format':";

  @ParameterizedTest
  @CsvSource({
    "gemini-2.0-flash, true",
    "gemini-2.5-flash, true",
    "gemini-2.5-pro, true",
    "gemini-3-flash-preview, false",
    "gemini-flash-latest, false"
  })
  void olderModelsAreNotHeldToJsonBesideTools(String model, boolean dropped) throws Exception {
    List<String> formats =
        List.of(
            "{'type':'json_object'}",
            "{'type':'json_schema','json_schema':{'name':'n','schema':{'type':'object'}}}");
    for (String format : formats) {
      TranslatedRequest chat = with(model, TOOL + format);
      assertThat(chat.dropped().contains("response_format")).isEqualTo(dropped);
      assertThat(body(chat).path("generationConfig").has("responseMimeType")).isEqualTo(!dropped);
      assertThat(body(chat).path("tools").size()).isOne();
    }
    TranslatedRequest unknown =
        with(model, "'tools':[{'type':'custom'}],'response_format':{'type':'json_object'}");
    assertThat(unknown.dropped()).containsExactly("tools[0]");
  }

  private static final String TWO_CALLS_OF_ONE =
      """
      [{'role':'user','content':'Q'},
       {'role':'assistant','tool_calls':[
         {'id':'1','type':'function','function':{'name':'w','arguments':'{\\"c\\":\\"Paris\\"}'}},
         {'id':'2','type':'function','function':{'name':'w','arguments':'{\\"c\\":\\"Ulm\\"}'}}]},
       {'role':'tool','tool_call_id':'9','name':'z','content':'of none'},
       {'role':'tool','tool_call_id':'2','content':'of Ulm'},
       {'role':'tool','tool_call_id':'1','content':'of Paris'},
       {'role':'assistant','tool_calls':[
         {'id':'1','type':'function','function':{'name':'w','arguments':'{}'}},
         {'id':'2','type':'function','function':{'name':'w','arguments':'{}'}}]},
       {'role':'tool','tool_call_id':'2','content':'second'},
       {'role':'tool','tool_call_id':'1','content':'first'}]
      """;

  @Test
  void resultsOfParallelCallsAreInTheOrderOfTheCalls() throws Exception {
    JsonNode contents = turns("gemini-2.5-flash", TWO_CALLS_OF_ONE).path("contents");
    assertThat(contents.path(2).path("parts"))
        .isEqualTo(
            tree(
                "[{'functionResponse':{'name':'w','response':{'output':'of Paris'}}},"
                    + "{'functionResponse':{'name':'w','response':{'output':'of Ulm'}}},"
                    + "{'functionResponse':{'name':'z','response':{'output':'of none'}}}]"));
    assertThat(contents.path(4).path("parts"))
        .isEqualTo(
            tree(
                "[{'functionResponse':{'name':'w','response':{'output':'first'}}},"
                    + "{'functionResponse':{'name':'w','response':{'output':'second'}}}]"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gemini-3.1-pro-preview", "gemini-flash-latest"})
  void newerModelsGetTheIdsOfCallsAndTheirResults(String model) throws Exception {
    JsonNode contents = turns(model, TWO_CALLS_OF_ONE).path("contents");
    assertThat(contents.path(1).path("parts").findValuesAsText("id")).containsExactly("1", "2");
    assertThat(contents.path(2).path("parts").findValuesAsText("id")).containsExactly("1", "2");
    assertThat(contents.path(2).path("parts").path(2).path("functionResponse").has("id")).isFalse();
    assertThat(contents.path(3).path("parts").findValuesAsText("id")).containsExactly("1", "2");
  }

  private static final String ROUND_TRIP =
      """
      [{'role':'user','content':'Q'},
       {'role':'assistant','tool_calls':[
         {'id':'1','type':'function','function':{'name':'f','arguments':'{\\"a\\": 1}'},
          'extra_content':{'google':{'thought_signature':'SIG'}}},
         {'id':'2','type':'function','function':{'name':'g','arguments':''}}]},
       {'role':'tool','tool_call_id':'2','content':'{\\"x\\":2}'},
       {'role':'tool','tool_call_id':'1','content':[{'type':'text','text':'sunny'}]},
       {'role':'user','content':'And?'}]
      """;

  @Test
  void aToolsResultNamesItsFunctionAndIsATurnOfItsOwn() throws Exception {
    assertThat(turns("gemini-2.5-flash", ROUND_TRIP).path("contents"))
        .isEqualTo(
            tree(
                "[{'role':'user','parts':[{'text':'Q'}]},{'role':'model','parts':["
                    + "{'functionCall':{'name':'f','args':{'a':1}},'thoughtSignature':'SIG'},"
                    + "{'functionCall':{'name':'g','args':{}}}]},{'role':'user','parts':["
                    + "{'functionResponse':{'name':'f','response':{'output':'sunny'}}},"
                    + "{'functionResponse':{'name':'g','response':{'x':2}}}]},"
                    + "{'role':'user','parts':[{'text':'And?'}]}]"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gemini-3-flash-preview", "gemini-flash-latest"})
  void callsOfAnotherProviderInTheTurnInHandAreMarkedWhereSignaturesAreDemanded(String model)
      throws Exception {
    String messages =
        """
        [{'role':'user','content':'P'},
         {'role':'assistant','tool_calls':[{'id':'0','function':{'name':'e','arguments':'no'}}]},
         {'role':'tool','tool_call_id':'0','content':'bad','is_error':true},
         {'role':'user','content':'Q'},
         {'role':'assistant','tool_calls':[{'id':'1','function':{'name':'f','arguments':'{}'}},
           {'id':'2','function':{'name':'g','arguments':'{}'}}]},
         {'role':'tool','tool_call_id':'1','content':'x'}]
        """;
    assertThat(turns("gemini-2.5-flash", messages).toString()).doesNotContain("thoughtSignature");
    JsonNode newer = turns(model, messages).path("contents");
    assertThat(newer.path(1).path("parts"))
        .isEqualTo(tree("[{'functionCall':{'id':'0','name':'e','args':{'arguments':'no'}}}]"));
    assertThat(newer.path(2).path("parts").path(0).path("functionResponse").path("response"))
        .isEqualTo(tree("{'error':'bad'}"));
    assertThat(newer.path(4).path("parts"))
        .isEqualTo(
            tree(
                "[{'functionCall':{'id':'1','name':'f','args':{}},"
                    + "'thoughtSignature':'skip_thought_signature_validator'},"
                    + "{'functionCall':{'id':'2','name':'g','args':{}}}]"));
  }

  @Test
  void theSignatureOfATextComesBackBehindIt() throws Exception {
    String messages =
        """
        [{'role':'user','content':'Q'},
         {'role':'assistant','content':'A','extra_content':{'google':{'thought_signature':'S'}}},
         {'role':'user','content':'R'}]
        """;
    assertThat(turns("gemini-3-flash-preview", messages).path("contents").path(1).path("parts"))
        .isEqualTo(tree("[{'text':'A'},{'text':'','thoughtSignature':'S'}]"));
  }

  @Test
  void parametersHaveTheirNamesThere() throws Exception {
    TranslatedRequest chat =
        with(
            "gemini-2.0-flash",
            "'max_tokens':10,'max_completion_tokens':20,'temperature':0.5,'top_p':0.9,'top_k':5,"
                + "'seed':7,'presence_penalty':0.1,'frequency_penalty':-0.2,'stop':['a','b'],"
                + "'response_format':{'type':'json_object'},'safety_settings':[{'category':'C'}],"
                + "'cached_content':'cachedContents/x'");
    // A cache belongs to the operator's account.
    assertThat(chat.dropped()).extracting(Object::toString).containsExactly("cached_content");
    JsonNode body = body(chat);
    assertThat(body.path("generationConfig"))
        .isEqualTo(
            tree(
                "{'maxOutputTokens':20,'temperature':0.5,'topP':0.9,'topK':5,'seed':7,"
                    + "'presencePenalty':0.1,'frequencyPenalty':-0.2,'stopSequences':['a','b'],"
                    + "'responseMimeType':'application/json'}"));
    assertThat(body.path("safetySettings")).isEqualTo(tree("[{'category':'C'}]"));
    assertThat(body.has("cachedContent")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"gemini-2.5-flash", "gemini-3-flash-preview", "gemini-flash-latest"})
  void whatItHasNothingLikeIsDroppedAndNamed(String model) throws Exception {
    TranslatedRequest chat =
        with(
            model,
            "'seed':5000000000,'presence_penalty':1,'logit_bias':{'1':2},'logprobs':true,"
                + "'user':'u','parallel_tool_calls':false,'service_tier':'flex',"
                + "'tools':[{'type':'custom','custom':{'name':'x'}}],'store':false,'top_logprobs':0");
    assertThat(chat.dropped())
        .containsExactlyInAnyOrder(
            "seed",
            "presence_penalty",
            "logit_bias",
            "logprobs",
            "parallel_tool_calls",
            "service_tier",
            "tools[0]");
    assertThat(body(chat).has("tools")).isFalse();
  }

  @Test
  void aSchemaIsHandedOnWhereTheModelHasThem() throws Exception {
    String format =
        "'response_format':{'type':'json_schema','json_schema':{'name':'n','strict':true,"
            + "'schema':{'type':'object','additionalProperties':false}}}";
    assertThat(body(with("gemini-2.5-flash", format)).path("generationConfig"))
        .isEqualTo(
            tree(
                "{'responseMimeType':'application/json',"
                    + "'responseJsonSchema':{'type':'object','additionalProperties':false}}"));
    ConfiguredModel unable = ConfiguredModel.of("gemini", "gemini-2.5-flash").able("streaming");
    TranslatedRequest dropped =
        unable.of("{\"messages\":" + HI + "," + format.replace('\'', '"') + "}");
    assertThat(dropped.dropped()).containsExactly("response_format");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'auto' | {'mode':'AUTO'}",
        "'none' | {'mode':'NONE'}",
        "'required' | {'mode':'ANY'}",
        "{'type':'function','function':{'name':'f'}} | {'mode':'ANY','allowedFunctionNames':['f']}"
      },
      quoteCharacter = '~')
  void toolsAndTheirChoice(String choice, String expected) throws Exception {
    TranslatedRequest chat =
        with(
            "gemini-2.5-flash",
            "'tools':[{'type':'function','function':{'name':'f','description':'d','strict':true,"
                + "'parameters':{'type':'object'}}},{'type':'function','function':{'name':'g'}}],"
                + "'tool_choice':"
                + choice);
    boolean mayCall = choice.equals("'auto'"); // then schemas are not enforced
    assertThat(chat.dropped()).isEqualTo(mayCall ? List.of("tools[0].function.strict") : List.of());
    assertThat(body(chat).path("tools"))
        .isEqualTo(
            tree(
                "[{'functionDeclarations':[{'name':'f','description':'d',"
                    + "'parametersJsonSchema':{'type':'object'}},{'name':'g'}]}]"));
    assertThat(body(chat).path("toolConfig").path("functionCallingConfig"))
        .isEqualTo(tree(expected));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'properties':{}} | {'type':'object','properties':{}}",
        "{'type':null,'properties':{'a':{}}} | {'type':'object','properties':{'a':{}}}",
        "{'type':['object','null'],'properties':{}} | {'type':'object','properties':{}}",
        "{'$ref':'#/$defs/d','$defs':{'d':{'required':['a']}}}"
            + " | {'type':'object','$defs':{'d':{'required':['a']}},'required':['a']}",
        "{} | ",
        "null | "
      })
  void argumentsAreAnObject(String parameters, String sent) throws Exception {
    TranslatedRequest chat =
        with(
            "gemini-2.5-flash",
            "'tools':[{'type':'function','function':{'name':'c','parameters':"
                + parameters
                + "}}]");
    JsonNode got = body(chat).findValue("parametersJsonSchema");
    assertThat(got).isEqualTo(sent == null ? null : tree(sent));
    assertThat(chat.dropped()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gemini-2.5-flash | 'reasoning_effort':'low' | {'includeThoughts':true,'thinkingBudget':1024}",
        "gemini-2.5-pro | 'reasoning_effort':'high' | {'includeThoughts':true,'thinkingBudget':24576}",
        "gemini-2.5-flash | 'reasoning_effort':'none' | {'thinkingBudget':0}",
        "gemini-2.5-flash | 'max_tokens':1000,'reasoning_effort':'high' | {'includeThoughts':true,'thinkingBudget':800}",
        "gemini-2.5-flash | 'reasoning':{'max_tokens':2000} | {'includeThoughts':true,'thinkingBudget':2000}",
        "gemini-2.5-flash | 'reasoning':{'enabled':true} | {'includeThoughts':true}",
        "gemini-2.5-flash | 'max_tokens':2,'reasoning_effort':'low' | {'includeThoughts':true,'thinkingBudget':1}",
        "gemini-flash-latest | 'reasoning_effort':'medium' | {'includeThoughts':true,'thinkingLevel':'medium'}",
        "gemini-3-flash-preview | 'reasoning_effort':'minimal' | {'includeThoughts':true,'thinkingLevel':'minimal'}",
        "gemini-3-pro-preview | 'reasoning_effort':'medium' | {'includeThoughts':true,'thinkingLevel':'high'}",
        "gemini-3.1-pro-preview | 'reasoning_effort':'medium' | {'includeThoughts':true,'thinkingLevel':'medium'}",
        "gemini-3.1-pro-preview | 'reasoning_effort':'minimal' | {'includeThoughts':true,'thinkingLevel':'low'}",
        "gemini-3.1-pro-preview | 'thinking_config':{'thinkingLevel':'low'} | {'thinkingLevel':'low'}",
      },
      quoteCharacter = '~')
  void reasoningIsAskedForAsTheModelTakesIt(String model, String asked, String expected)
      throws Exception {
    TranslatedRequest chat = with(model, asked);
    assertThat(chat.dropped()).isEmpty();
    assertThat(body(chat).path("generationConfig").path("thinkingConfig"))
        .isEqualTo(tree(expected));
  }

  @ParameterizedTest
  @CsvSource({
    "gemini-2.0-flash, high, 0, reasoning_effort",
    "gemini-2.5-pro, none, 0, reasoning_effort",
    "gemini-2.5-pro, low, 100, reasoning_effort",
    "gemini-2.5-flash-lite, low, 600, reasoning_effort",
    "gemini-2.5-flash, low, 1, reasoning_effort",
    "gemini-3-flash-preview, none, 0, reasoning_effort",
    "gemini-flash-latest, none, 0, reasoning_effort",
    "gemini-2.0-flash, none, 0, ''"
  })
  void aWishForReasoningThatCannotBeMetIsDropped(
      String model, String effort, int outputMax, String dropped) throws Exception {
    String bound = outputMax == 0 ? "" : ",'max_tokens':" + outputMax;
    TranslatedRequest chat = with(model, "'reasoning_effort':'" + effort + "'" + bound);
    assertThat(String.join(",", chat.dropped())).isEqualTo(dropped);
    assertThat(body(chat).path("generationConfig").has("thinkingConfig")).isFalse();
  }
}
