package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.audio.AudioLength;
import dev.tollgate.mock.media.MediaJobs;
import dev.tollgate.mock.media.MediaReply;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the mock provider makes is as long as our own readers of such files say, who trust none. */
class MadeFilesLengthTest {
  private static final String PATH = "/v1/media/jobs";

  @ParameterizedTest
  @CsvSource({
    "music, wav, 24000, 2.5",
    "music, wav, 44100, 61",
    "music, flac, 24000, 2.5",
    "music, flac, 48000, 61",
    "music, mp3, 24000, 2.5",
    "music, mp3, 44100, 61",
    "video, '', 0, 2.5",
    "video, '', 0, 61"
  })
  void aFileIsAsLongAsAsked(String kind, String format, int rate, double seconds) {
    MediaJobs jobs = new MediaJobs(Duration.ZERO);
    String wish =
        """
        {"kind":"%s","model":"m","prompt":"p","format":"%s","sample_rate":%d,
         "duration_seconds":%s,"resolution":"64x64"}"""
            .formatted(kind, format, rate, seconds);
    MediaReply job = jobs.answer(call("POST", "", wish), 0);
    String id = ((MediaReply.Json) job).body().replaceAll(".*?\"id\":\"([^\"]+)\".*", "$1");
    MediaReply file = jobs.answer(call("GET", "/" + id + "/files/0", ""), 1);
    byte[] bytes = ((MediaReply.File) file).bytes().array();
    Duration reported = AudioLength.declared(bytes, 0, bytes.length).orElseThrow();
    assertThat(reported.toMillis() / 1e3).isBetween(seconds, seconds + 0.06);
  }

  private static MediaJobs.Call call(String method, String rest, String body) {
    return new MediaJobs.Call(
        method, PATH + rest, "", "key", ByteBuffer.wrap(body.getBytes(UTF_8)));
  }
}
