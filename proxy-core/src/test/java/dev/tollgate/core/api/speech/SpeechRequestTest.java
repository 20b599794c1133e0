package dev.tollgate.core.api.speech;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.RequestBodies;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpeechRequestTest {
  private static final String SAID = "'input':'Say it.','voice':'alloy'";

  private static final RequestBodies<SpeechRequest> BODIES =
      new RequestBodies<>("acme/tts", SpeechRequest::parse);

  private static Model model(PriceList prices) {
    return Samples.model("acme/tts", Modality.SPEECH, prices, 0, 0);
  }

  private static PriceList perCharacter(long pico) {
    return new PriceList(TokenPrices.ZERO, List.of(), 0, pico, 0, List.of(), 0, 0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        SAID,
        SAID + ",'response_format':'mp3','stream_format':'audio','speed':0.25,'instructions':''",
        SAID + ",'response_format':'opus','speed':4,'instructions':'Whisper.'",
        SAID + ",'response_format':'aac','instructions':null,'speed':null,'response_format2':1",
        SAID + ",'response_format':'flac','user':'u','routing':'cost'",
        SAID + ",'response_format':'wav','stream_format':'sse'",
        "'input':'Say it.','voice':{'id':'voice_1'},'response_format':'pcm','seed':7"
      })
  void whatTheConventionAllowsIsAccepted(String members) {
    assertThat(BODIES.valid(members).target().model()).hasToString("acme/tts");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'voice':'alloy' | input",
        "'input':'a' | voice",
        "'input':'','voice':'alloy' | input",
        "'input':7,'voice':'alloy' | input",
        "'input':['a'],'voice':'alloy' | input",
        "'input':null,'voice':'alloy' | input",
        "'input':'a','voice':'' | voice",
        "'input':'a','voice':7 | voice",
        "'input':'a','voice':{} | voice.id",
        "'input':'a','voice':{'id':1} | voice.id",
        "'input':'a','voice':'alloy','instructions':7 | instructions",
        "'input':'a','voice':'alloy','response_format':'ogg' | response_format",
        "'input':'a','voice':'alloy','response_format':1 | response_format",
        "'input':'a','voice':'alloy','stream_format':'events' | stream_format",
        "'input':'a','voice':'alloy','stream_format':true | stream_format",
        "'input':'a','voice':'alloy','speed':0.24 | speed",
        "'input':'a','voice':'alloy','speed':4.01 | speed",
        "'input':'a','voice':'alloy','speed':'1' | speed",
        "'input':'a','voice':'alloy','Input':'b' | Input",
        "'input':'a','voice':'alloy','input':'b' | input",
        "'input':'a','voice':'alloy','response_format':'mp3','response_format':'wav' | response_format"
      })
  void whatItForbidsIsNamed(String members, String param) {
    Fault fault = BODIES.refused(members);
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo(param);
  }

  @Test
  void aCharacterIsOneHoweverItIsWritten() {
    String most = "\uD83D\uDE00".repeat(4_095) + "\\u00e9";
    assertThat(BODIES.valid("'input':'" + most + "','voice':'alloy'").quantities())
        .hasToString("[Characters[count=4096]]");
    assertThat(BODIES.parse("'input':'" + most + "a','voice':'alloy'"))
        .isInstanceOf(ParseResult.Refused.class);
    assertThat(BODIES.parse(SAID + ",'instructions':'" + "a".repeat(4_097) + "'"))
        .isInstanceOf(ParseResult.Refused.class);
  }

  @Test
  void whatIsPricedByCharactersIsSetAsideExactly() {
    // 7 characters at 15 micro-USD each.
    assertThat(BODIES.valid(SAID).estimate(model(perCharacter(15_000_000))).value()).isEqualTo(105);
  }

  @Test
  void ofTokensAndSecondsIsSetAsideWhatTheTextCanBecome() {
    var tokens = model(PriceList.ofTokens(TokenPrices.of(0, 1_000_000)));
    long usual = BODIES.valid(SAID).estimate(tokens).value();
    long slow = BODIES.valid(SAID + ",'speed':0.25").estimate(tokens).value();
    assertThat(usual).isGreaterThan(7 * 2);
    assertThat(slow - usual).isEqualTo(3 * 2 * 9); // of "Say it." with its quotes
    var seconds =
        model(new PriceList(TokenPrices.ZERO, List.of(), 0, 0, 1_000_000, List.of(), 0, 0));
    assertThat(BODIES.valid(SAID).estimate(seconds).value()).isEqualTo((usual + 20) / 21);
  }

  @Test
  void itsProviderGetsTheBodyWithItsOwnModelName() {
    SpeechRequest request = BODIES.valid(SAID + ",'routing':{'strategy':'cost'},'seed': 7");
    assertThat(RequestBodies.upstream(request))
        .isEqualTo("{\"model\":\"m1-2026\",\"input\":\"Say it.\",\"voice\":\"alloy\",\"seed\": 7}");
  }
}
