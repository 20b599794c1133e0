package dev.tollgate.mock.media;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.testkit.BitReader;
import dev.tollgate.core.testkit.Mp4File;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Encoded files parse again and are what was requested. */
class EncodersTest {
  private static final Logger LOG = LoggerFactory.getLogger(EncodersTest.class);

  @ParameterizedTest
  @CsvSource({
    "720p, 16:9, 1280, 720",
    "1080p, 16:9, 1920, 1080",
    "720p, 9:16, 720, 1280",
    "480p, 1:1, 480, 480",
    "640x360, 9:16, 640, 360",
    "'', '', 1280, 720",
    "odd, 4:3, 960, 720",
    "10p, 1:999, 16, 4096",
    "4096p, 100:1, 4096, 4096"
  })
  void resolutionAndAspectDetermineTheSize(
      String resolution, String aspect, int width, int height) {
    assertThat(VideoSize.of(resolution, aspect)).isEqualTo(new VideoSize(width, height));
  }

  @ParameterizedTest
  @CsvSource({"1280, 720", "1920, 1080", "16, 16", "18, 34", "64, 16", "16, 64", "4096, 16"})
  void aVideoHasItsSizeAndAColourForEachSecond(int width, int height) {
    Mp4File file = new Mp4File(Mp4.of(Duration.ofMillis(2_450), new VideoSize(width, height), 7));
    assertThat(file.width).isEqualTo(width);
    assertThat(file.height).isEqualTo(height);
    assertThat(file.seconds).isEqualTo(2.45);
    assertThat(file.pictures).hasSize(25);
    List<Mp4File.Picture> keys = file.pictures.stream().filter(Mp4File.Picture::isKey).toList();
    assertThat(keys).extracting(Mp4File.Picture::atSeconds).containsExactly(0.0, 1.0, 2.0);
    assertThat(keys).extracting(Mp4File.Picture::cb).doesNotHaveDuplicates();
    assertThat(file.pictures.getLast().atSeconds()).isEqualTo(2.4);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 101, 1_000, 120_000})
  void aVideoHasTheRequestedLength(int millis) {
    Mp4File file = new Mp4File(Mp4.of(Duration.ofMillis(millis), new VideoSize(16, 16), 0));
    assertThat(file.seconds).isEqualTo(Math.max(100, millis) / 1_000.0);
  }

  @Test
  void videosOfAnotherKindHaveOtherColours() {
    VideoSize screen = new VideoSize(32, 32);
    byte[] one = Mp4.of(Duration.ofSeconds(1), screen, 1);
    assertThat(Mp4.of(Duration.ofSeconds(1), screen, 1)).isEqualTo(one);
    assertThat(Mp4.of(Duration.ofSeconds(1), screen, 2)).isNotEqualTo(one);
  }

  @ParameterizedTest
  @CsvSource({"1000, 24000", "1, 8000", "5500, 44100", "1707, 48000", "90000, 8000"})
  void aFlacDecodesToTheTone(int millis, int rate) throws Exception {
    Tone tone = new Tone(Duration.ofMillis(millis), rate, 440);
    FlacFile file = FlacFile.decode(Flac.of(tone));
    assertThat(file.samplesPerSecond()).isEqualTo(rate);
    assertThat(file.samples().array()).isEqualTo(samples(tone));
  }

  @Test
  void aFlacIsSmallerThanItsWavAndDetectsCorruption() {
    Tone tone = new Tone(Duration.ofSeconds(2), 24_000, 440);
    byte[] file = Flac.of(tone);
    assertThat(file.length).isLessThan(Wav.of(tone).length * 3 / 4);
    file[file.length / 2] ^= 1;
    assertThatThrownBy(() -> FlacFile.decode(file)).isInstanceOf(AssertionError.class);
  }

  @ParameterizedTest
  @CsvSource({"1000, 24000", "5500, 44100", "333, 48000"})
  void aWavIsReadByTheJdk(int millis, int rate) throws Exception {
    Tone tone = new Tone(Duration.ofMillis(millis), rate, 440);
    var stream = AudioSystem.getAudioInputStream(new ByteArrayInputStream(Wav.of(tone)));
    assertThat(stream.getFrameLength()).isEqualTo(tone.length());
    assertThat(stream.getFormat().matches(new AudioFormat(rate, 16, 1, true, false))).isTrue();
    ByteBuffer plain = ByteBuffer.wrap(stream.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
    short[] samples = new short[tone.length()];
    plain.asShortBuffer().get(samples);
    assertThat(samples).isEqualTo(samples(tone));
  }

  private static short[] samples(Tone tone) {
    short[] samples = new short[tone.length()];
    for (int n = 0; n < samples.length; n++) {
      samples[n] = tone.sample(n);
    }
    return samples;
  }

  @ParameterizedTest
  @CsvSource({
    "1000, 24000, 576, 192, 42",
    "600000, 24000, 576, 192, 25000",
    "1000, 44100, 1152, 208, 39",
    "1000, 48000, 1152, 192, 42",
    "1000, 32000, 1152, 288, 28",
    "1000, 22050, 576, 208, 39",
    "1000, 16000, 576, 288, 28",
    "1, 24000, 576, 192, 1"
  })
  void anMp3HasFramesOfTheRequestedLength(
      int millis, int rate, int samples, int frameBytes, int frames) {
    assertThat(Mp3.supports(rate)).isTrue();
    byte[] file = Mp3.of(Duration.ofMillis(millis), rate);
    assertThat(file).hasSize(frames * frameBytes);
    for (int at = 0; at < file.length; at += frameBytes) {
      BitReader head = new BitReader(file, at);
      assertThat(head.bits(11)).isEqualTo(0x7ff);
      assertThat(head.bits(2)).isEqualTo(samples == 1152 ? 3 : 2);
      assertThat(head.bits(3)).as("layer III without a checksum").isEqualTo(0b011);
      int[] kbits = new int[16];
      kbits[samples == 1152 ? 5 : 8] = 64_000;
      int bitsPerSecond = kbits[(int) head.bits(4)];
      int[] rates = {44_100, 48_000, 32_000, 0};
      int declaredRate = rates[(int) head.bits(2)] / (samples == 1152 ? 1 : 2);
      assertThat(declaredRate).isEqualTo(rate);
      assertThat(samples / 8 * bitsPerSecond / declaredRate).isEqualTo(frameBytes);
      assertThat(head.bits(2)).as("neither padding nor private").isZero();
      assertThat(head.bits(2)).as("one channel").isEqualTo(3);
    }
    assertThat((double) frames * samples / rate).isBetween(millis / 1e3, millis / 1e3 + 0.06);
  }

  @Test
  void otherSampleRatesAreNotSupported() {
    assertThat(List.of(8_000, 11_025, 96_000)).noneMatch(Mp3::supports);
  }

  /** Checks the files with ffprobe if it is installed; the log says whether it is. */
  @Test
  void ffprobeReadsTheFiles(@TempDir Path folder) throws Exception {
    Tone tone = new Tone(Duration.ofMillis(2_500), 24_000, 440);
    Duration length = Duration.ofMillis(2_500);
    Map<String, byte[]> files =
        Map.of(
            "a.mp4", Mp4.of(length, new VideoSize(320, 180), 1),
            "a.wav", Wav.of(tone),
            "a.flac", Flac.of(tone),
            "a.mp3", Mp3.of(length, 24_000));
    boolean isInstalled =
        Stream.of(String.valueOf(System.getenv("PATH")).split(File.pathSeparator))
            .anyMatch(each -> Files.isExecutable(Path.of(each, "ffprobe")));
    LOG.info("ffprobe is {}", isInstalled ? "installed: it decodes them" : "not installed");
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Path path = Files.write(folder.resolve(file.getKey()), file.getValue());
      assertThat(path).hasSize(file.getValue().length);
      if (isInstalled) {
        assertThat(probed(path)).isBetween(2.4, 2.6);
      }
    }
  }

  private static double probed(Path file) throws Exception {
    String fields = "-count_frames -show_entries format=duration -of csv=p=0 -v error";
    List<String> command = new ArrayList<>(List.of("ffprobe"));
    command.addAll(List.of(fields.split(" ")));
    command.add(file.toString());
    Process probe = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(probe.getInputStream().readAllBytes(), UTF_8).strip();
    assertThat(probe.waitFor()).as(output).isZero();
    return Double.parseDouble(output);
  }
}
