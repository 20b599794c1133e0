package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.testkit.ProviderSchema;
import dev.tollgate.core.testkit.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a chat asks for, each provider gets nothing that its documentation does not allow. */
class DocumentedRequestsTest {
  private static final int MIXES = 60;
  private static final int MIXED_MAX = 9;
  private static final String SCHEMA =
      "{'type':'object','properties':{'a':{'type':'integer'}},'required':['a']";

  /** Members of a chat, as every parameter of the reference can be written. */
  private static final List<String> MEMBERS =
      List.of(
          "'stream':true",
          "'stream':true,'stream_options':{'include_usage':true}",
          "'temperature':0",
          "'temperature':1",
          "'temperature':2",
          "'temperature':0.70",
          "'top_p':0",
          "'top_p':0.95",
          "'top_p':1",
          "'top_k':-1",
          "'top_k':0",
          "'top_k':40",
          "'top_k':1000",
          "'min_p':0.1",
          "'repetition_penalty':1.1",
          "'frequency_penalty':-2",
          "'frequency_penalty':0",
          "'frequency_penalty':2",
          "'presence_penalty':-0.5",
          "'presence_penalty':0.5",
          "'presence_penalty':2.0",
          "'seed':0",
          "'seed':-7",
          "'seed':9223372036854775807",
          "'stop':'END'",
          "'stop':['A','B','C','D']",
          "'stop':[' ','\\n']",
          "'stop':null",
          "'max_tokens':1",
          "'max_tokens':100",
          "'max_tokens':3000",
          "'max_completion_tokens':100000",
          "'max_tokens':9,'max_completion_tokens':2000",
          "'n':1",
          "'logprobs':true,'top_logprobs':3",
          "'logit_bias':{'50256':-100}",
          "'user':'u1'",
          "'user':'" + "u".repeat(300) + "'",
          "'metadata':{'a':'b'}",
          "'store':true",
          "'service_tier':'auto'",
          "'service_tier':'flex'",
          "'parallel_tool_calls':false",
          "'parallel_tool_calls':true",
          "'response_format':{'type':'text'}",
          "'response_format':{'type':'json_object'}",
          "'response_format':{'type':'json_schema','json_schema':{'name':'n','schema':"
              + SCHEMA
              + "}}}",
          "'response_format':{'type':'json_schema','json_schema':{'name':'n','strict':true,'schema':"
              + SCHEMA
              + ",'additionalProperties':false}}}",
          "'response_format':{'type':'json_schema','json_schema':{'name':'n','schema':{'type':"
              + "'object','properties':{'a':{'type':'string','maxLength':9}}}}}",
          "'tool_choice':'auto'",
          "'tool_choice':'none'",
          "'tool_choice':'required'",
          "'tool_choice':{'type':'function','function':{'name':'f'}}",
          "'tool_choice':{'type':'allowed_tools','allowed_tools':{'mode':'auto','tools':[]}}",
          "'tools':[{'type':'function','function':{'name':'f'}},{'type':'function','function':{'name':'g'}}],"
              + "'tool_choice':{'type':'allowed_tools','allowed_tools':{'mode':'required','tools':"
              + "[{'type':'function','function':{'name':'g'}}]}}",
          "'tools':[{'type':'function','function':{'name':'1.é-"
              + "n".repeat(150)
              + "'}}],"
              + "'tool_choice':'required'",
          "'tools':[{'type':'function','function':{'name':'f','strict':true,'parameters':{'type':'object',"
              + "'properties':{'a':{'type':'array','minItems':3,'items':{'oneOf':[{'type':'string',"
              + "'maxLength':9},{'type':'number','exclusiveMinimum':0}]}}},'required':['a']}}}]",
          "'tools':[]",
          "'tools':[{'type':'function','function':{'name':'f'}}]",
          "'tools':[{'type':'function','function':{'name':'f','description':'d','strict':true,"
              + "'parameters':"
              + SCHEMA
              + ",'additionalProperties':false}},'cache_control':{'type':'ephemeral'}},"
              + "{'type':'function','function':{'name':'g','strict':null,'parameters':{}}}]",
          "'tools':[{'type':'function','function':{'name':'f','strict':true,'parameters':"
              + SCHEMA
              + ",'maxProperties':3}}}]",
          "'tools':[{'type':'function','function':{'name':'f','parameters':{'properties':{}}}},"
              + "{'type':'custom','custom':{'name':'c'}}]",
          "'tools':[{'type':'custom','custom':{'name':'c'}}]",
          "'functions':[{'name':'f'}],'function_call':'auto'",
          "'functions':[{'name':'f','parameters':{'properties':{}}}],'function_call':{'name':'f'}",
          "'user':'jane.doe@example.com'",
          "'safety_identifier':'+49 170 1234567'",
          "'reasoning_effort':'none'",
          "'reasoning_effort':'minimal'",
          "'reasoning_effort':'medium'",
          "'reasoning_effort':'xhigh'",
          "'reasoning':{'enabled':false}",
          "'reasoning':{'enabled':true}",
          "'reasoning':{'effort':'high','summary':'auto'}",
          "'reasoning':{'max_tokens':10}",
          "'reasoning':{'max_tokens':90000}",
          "'modalities':['text']",
          "'modalities':['text','audio'],'audio':{'voice':'v','format':'wav'}",
          "'verbosity':'low'",
          "'prediction':{'type':'content','content':'x'}",
          "'web_search_options':{}",
          "'prompt_cache_key':'k','safety_identifier':'s'",
          "'routing':{'models':['a/b']}",
          "'x_unknown':{'a':1}");

  /** Conversations: who speaks, with what, and what tools said. */
  private static final Map<String, String> TALKS = talks();

  private static Map<String, String> talks() {
    Map<String, String> talks = new LinkedHashMap<>();
    talks.put("a question", "{'role':'user','content':'Q'}");
    talks.put(
        "only the system", "{'role':'system','content':'S'},{'role':'developer','content':'D'}");
    talks.put(
        "texts in parts",
        "{'role':'system','content':[{'type':'text','text':'S'}]},{'role':'user','name':'n','content':["
            + "{'type':'text','text':'A','cache_control':{'type':'ephemeral'}},{'type':'text','text':'B'}]},"
            + "{'role':'assistant','content':[{'type':'refusal','refusal':'No.'}],'refusal':null,"
            + "'annotations':[],'audio':null},{'role':'user','content':'C'}");
    talks.put(
        "images",
        "{'role':'user','content':[{'type':'text','text':'A'},"
            + "{'type':'image_url','image_url':{'url':'https://h/a','detail':'low'}},"
            + "{'type':'image_url','image_url':{'url':'data:image/jpg;base64,AAAA'}},"
            + "{'type':'image_url','image_url':{'url':'data:image/heic;base64,AAAA'},"
            + "'cache_control':{'type':'ephemeral'}}]}");
    talks.put(
        "other media",
        "{'role':'user','content':[{'type':'text','text':'A'},"
            + "{'type':'input_audio','input_audio':{'data':'AAAA','format':'wav'}},"
            + "{'type':'file','file':{'filename':'a.pdf','file_data':'data:application/pdf;base64,AA'}},"
            + "{'type':'file','file':{'file_id':'file-1'}}]}");
    talks.put(
        "nothing that is text",
        "{'role':'system','content':[{'type':'image_url','image_url':{'url':'https://h/a.png'}},"
            + "{'type':'text','text':'S'}]},{'role':'user','content':[{'type':'text','text':'Q'}]},"
            + "{'role':'assistant','content':'','tool_calls':[{'id':'c','type':'function','function':"
            + "{'name':'f','arguments':'{}'}}]},{'role':'tool','tool_call_id':'c','content':["
            + "{'type':'image_url','image_url':{'url':'https://h/b.png'}}]}");
    talks.put(
        "parallel calls with swapped results",
        "{'role':'user','content':'Q'},{'role':'assistant','content':null,'reasoning_content':'Hm.',"
            + "'tool_calls':[{'id':'call.1','type':'function','function':{'name':'f','arguments':"
            + "'{\\\"a\\\":1}'}},{'id':'call.2','type':'function','function':{'name':'f','arguments':''}}]},"
            + "{'role':'tool','tool_call_id':'call.2','content':[{'type':'text','text':'two'}]},"
            + "{'role':'tool','tool_call_id':'call.1','content':'{\\\"one\\\":1}'},"
            + "{'role':'assistant','content':'Done.'},{'role':'user','content':'R'}");
    talks.put(
        "a result to be answered",
        "{'role':'user','content':'Q'},{'role':'assistant','content':'I look.','tool_calls':["
            + "{'id':'c1','type':'function','function':{'name':'f','arguments':'broken'},"
            + "'extra_content':{'google':{'thought_signature':'c2ln'}}}],'reasoning_details':["
            + "{'type':'reasoning.text','text':'t','signature':'s'}]},"
            + "{'role':'tool','tool_call_id':'c1','content':'','is_error':true}");
    talks.putAll(refusedElsewhere());
    talks.put(
        "an answer begun",
        "{'role':'user','content':'Q'},{'role':'assistant','content':'The answer is ',"
            + "'cache_control':{'type':'ephemeral'}}");
    return talks;
  }

  /** Conversations that other providers take as they are. */
  private static Map<String, String> refusedElsewhere() {
    Map<String, String> talks = new LinkedHashMap<>();
    talks.put(
        "white space",
        "{'role':'system','content':' '},{'role':'user','content':[{'type':'text','text':' '}]},"
            + "{'role':'assistant','content':'\\n\\n','tool_calls':[{'id':'c','type':'function','function':"
            + "{'name':'f','arguments':'{}'}}]},{'role':'tool','tool_call_id':'c','content':[{'type':'text',"
            + "'text':'\\t'}]},{'role':'assistant','content':'A'},{'role':'user','content':' \\n'}");
    talks.put(
        "older functions",
        "{'role':'user','content':'Q'},{'role':'assistant','content':null,'function_call':"
            + "{'name':'1.f','arguments':'{}'}},{'role':'function','name':'1.f','content':null},"
            + "{'role':'function','name':'g','content':'of no call'}");
    talks.put(
        "media in results",
        "{'role':'user','content':'Q'},{'role':'assistant','tool_calls':[{'id':'c','type':'function',"
            + "'function':{'name':'f','arguments':'{}'}}]},{'role':'tool','tool_call_id':'c','content':["
            + "{'type':'text','text':'A'},{'type':'image_url','image_url':{'url':'data:image/png;base64,AAAA'}},"
            + "{'type':'file','file':{'filename':'a.pdf','file_data':'data:application/pdf;base64,AAAA'}}]}");
    return talks;
  }

  record Asks(ConfiguredModel model, List<ProviderSchema> schemas) {
    @Override
    public String toString() {
      return model.dialect() + " " + model.name() + " " + model.capabilities();
    }
  }

  private static Asks asks(String dialect, String name, ProviderSchema... schemas) {
    return new Asks(ConfiguredModel.of(dialect, name).atMost(64_000), List.of(schemas));
  }

  static Stream<Asks> models() {
    return Stream.of(
            asks("anthropic", "claude-haiku-4-5", ProviderSchema.ANTHROPIC),
            asks("anthropic", "claude-opus-4-7", ProviderSchema.ANTHROPIC),
            asks("vertex-anthropic", "claude-sonnet-4-6", ProviderSchema.ANTHROPIC),
            asks("bedrock", "anthropic.claude-haiku-4-5-20251001-v1:0", ProviderSchema.BEDROCK),
            asks("bedrock", "eu.anthropic.claude-opus-4-7", ProviderSchema.BEDROCK),
            asks("bedrock", "amazon.nova-pro-v1:0", ProviderSchema.BEDROCK),
            asks("bedrock", "mistral.mistral-large-2407-v1:0", ProviderSchema.BEDROCK),
            asks("gemini", "gemini-3-flash-preview", ProviderSchema.GEMINI),
            asks("gemini", "gemini-flash-latest", ProviderSchema.GEMINI),
            asks("vertex", "gemini-2.5-flash", ProviderSchema.GEMINI, ProviderSchema.GEMINI_2_5),
            asks("cohere", "command-a-03-2025", ProviderSchema.COHERE),
            asks("ollama", "gpt-oss:20b", ProviderSchema.OLLAMA))
        .flatMap(
            one -> Stream.of(one, new Asks(one.model.able("streaming", "tools"), one.schemas)));
  }

  private static String talk(String name) {
    return Objects.requireNonNull(TALKS.get(name));
  }

  /** What would be said of a chat with these members, each with the request that it is said of. */
  private static List<String> complaints(Asks asks, String messages, String members)
      throws InvalidJson {
    String more = members.isEmpty() ? "" : "," + members;
    String chat = ("{'model':'a/b','messages':[" + messages + "]" + more + "}").replace('\'', '"');
    String sent = asks.model.of(chat).body().toString(UTF_8);
    return asks.schemas.stream()
        .flatMap(schema -> schema.complaints(sent).stream())
        .map(complaint -> complaint + " of " + chat + " that became " + sent)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("models")
  void eachParameterAndConversationIsTaken(Asks asks) throws Exception {
    List<String> all = new ArrayList<>();
    for (String talk : TALKS.values()) {
      all.addAll(complaints(asks, talk, ""));
    }
    for (String members : MEMBERS) {
      all.addAll(complaints(asks, talk("a question"), members));
      all.addAll(complaints(asks, talk("a result to be answered"), members));
    }
    assertThat(all).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("models")
  void anyMixOfThemIsTaken(Asks asks) {
    List<String> talks = List.copyOf(TALKS.values());
    Seeds.forEach(
        MIXES,
        random -> {
          List<String> members = new ArrayList<>(MEMBERS);
          Collections.shuffle(members, random);
          String talk = talks.get(random.nextInt(talks.size()));
          assertThat(complaints(asks, talk, distinct(members, 1 + random.nextInt(MIXED_MAX))))
              .isEmpty();
        });
  }

  /** So many of them that no member is there twice. */
  private static String distinct(List<String> shuffled, int count) {
    Map<String, String> byName = new LinkedHashMap<>();
    for (String members : shuffled) {
      String name = members.substring(0, members.indexOf(':'));
      boolean single = !members.contains("max_") && !members.contains("stream");
      if (byName.size() < count
          && (single || byName.values().stream().noneMatch(one -> clash(one, members)))) {
        byName.putIfAbsent(name, members);
      }
    }
    return String.join(",", byName.values());
  }

  private static boolean clash(String one, String other) {
    return (one.contains("max_") && other.contains("max_"))
        || (one.contains("stream") && other.contains("stream"));
  }

  @Test
  void aSchemaComplainsOfWhatIsNotDocumented() {
    for (ProviderSchema schema : ProviderSchema.all()) {
      String request =
          schema == ProviderSchema.GEMINI_2_5
              ? "{\"generationConfig\":{\"presencePenalty\":1}}"
              : "{\"model\":\"m\",\"unknown\":1}";
      assertThat(schema.complaints(request)).as("%s", schema).isNotEmpty();
    }
  }
}
