package dev.tollgate.core.api.audio;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.speech.LastSubtitleCue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Declared lengths of audio files: if plausible, they are charged when the provider reports none.
 */
class AudioLengthTest {
  private static Duration likely(byte[] file) {
    return AudioLength.likely(file, 0, file.length);
  }

  @Test
  void aWavOfUnknownLengthIsAllThatFollows() {
    for (int size : new int[] {0, -1, 1 << 30}) {
      assertThat(likely(wav(1, 8_000, 1, 0, data(size, 16_000)))).isEqualTo(Duration.ofSeconds(2));
    }
  }

  @Test
  void eachOfTheChunksOfAWavCounts() {
    byte[] two = concat(data(16_000, 16_000), data(8_000, 8_000));
    assertThat(likely(wav(1, 8_000, 1, 0, two))).isEqualTo(Duration.ofSeconds(3));
  }

  @ParameterizedTest
  @CsvSource({"17, 4055", "49, 1625", "85, 16000"}) // IMA ADPCM, GSM, MP3
  void aBlockOfACompressedWavIsNoFrame(int tag, int bytesPerSecond) {
    byte[] wav = wav(tag, 8_000, 256, bytesPerSecond, data(16_000, 16_000));
    assertThat(likely(wav).toMillis()).isEqualTo(Math.ceilDiv(16_000_000, bytesPerSecond));
  }

  /** Players use only the rate, the channels and the bits. */
  @ParameterizedTest
  @CsvSource({
    "1, 1, 2, 96000, 24, 1152000",
    "3, 3, 2, 48000, 32, 768000",
    "65534, 1, 8, 16000, 16, 512000",
    "65534, 3, 2, 48000, 32, 768000",
    "7, 7, 1, 8000, 8, 16000"
  })
  void aStudioWavHasItsDeclaredLength(
      int tag, int within, int channels, int rate, int bits, int size) {
    assertThat(likely(studio(tag, within, channels, rate, bits, size)))
        .isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void theFirstRateOfAWavCounts() {
    byte[] fast = Arrays.copyOfRange(wav(1, 8_000_000, 1, 0, new byte[0]), 12, 36);
    assertThat(likely(wav(1, 8_000, 1, 0, concat(fast, data(16_000, 16_000)))))
        .isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void whatNoPlayerGoesByMakesNoFileShorter() {
    byte[] sound = data(1 << 20, 1 << 20);
    assertThat(likely(wav(17, 8_000, 256, -1, sound))).isGreaterThan(Duration.ofSeconds(200));
    assertThat(likely(wav(85, 8_000, 1, -1, sound))).isGreaterThan(Duration.ofSeconds(40));
    byte[] speech = new byte[40];
    speech[0] = 1 << 3; // a frame of 20 ms
    byte[] opus = ogg(1, times(100, page(1, speech)));
    assertThat(likely(opus)).isEqualTo(Duration.ofMillis(2_003));
    byte[] longer = ogg(48_000 * 7 + 312, sound(500));
    assertThat(likely(concat(longer, page(1, speech)))).isEqualTo(Duration.ofSeconds(7));
    byte[] rows = ints(0, 1, 2_812, 1_024);
    assertThat(likely(movie(ints(0, 0, 0, 48_000, 1), named("stts", rows))))
        .isEqualTo(Duration.ofMillis(59_989));
    assertThat(likely(movie(ints(0, 0, 0, 48_000, 48_000 * 60), named("stts", ints(0, 0)))))
        .isEqualTo(Duration.ofSeconds(60));
  }

  /** Data besides the sound, such as pictures, is not played. */
  @Test
  void theSoundOfAMovieIsNotShorterThanItsBytes() {
    byte[] head = ints(0, 0, 0, 48_000, 1);
    byte[] kinds = named("stsd", concat(ints(0, 1, 16), ascii("mp4a"), new byte[8]));
    byte[] sizes = named("stsz", concat(ints(0, 0, 2_000), new byte[8_000]));
    for (int i = 0; i < 2_000; i++) {
      ByteBuffer.wrap(sizes).putInt(20 + 4 * i, 200);
    }
    byte[] sound = named("mdat", new byte[1 << 20]);
    assertThat(likely(concat(movie(head, concat(kinds, sizes)), sound)))
        .isEqualTo(Duration.ofSeconds(10));
    byte[] one = named("stsz", ints(0, 200, 4_000));
    assertThat(likely(concat(movie(head, concat(kinds, one)), sound)))
        .isEqualTo(Duration.ofSeconds(20));
  }

  @Test
  void aFileIsNotShorterThanItsBytes() {
    byte[] megabyte = new byte[1 << 20];
    assertThat(likely(wav(1, 48_000, 4_000, 0, concat(data(1 << 20, 0), megabyte))))
        .isGreaterThan(Duration.ofSeconds(5));
    assertThat(likely(concat(flac(48_000, 1), megabyte))).isGreaterThan(Duration.ofSeconds(5));
    assertThat(likely(concat(ogg(48_000 / 100, megabyte)))).isGreaterThan(Duration.ofSeconds(15));
    assertThat(likely(concat(mp4(0, 1_000, 1), megabyte))).isGreaterThan(Duration.ofSeconds(5));
  }

  @Test
  void aFlacDeclaresItsSamples() {
    assertThat(likely(flac(44_100, 441_000))).isEqualTo(Duration.ofSeconds(10));
    byte[] live = flac(44_100, 0);
    assertThat(likely(live)).isEqualTo(AudioLength.atMost(live.length));
  }

  @Test
  void anOggDeclaresThemOnItsLastPage() {
    assertThat(likely(ogg(48_000 * 7 + 312, new byte[20_000]))).isEqualTo(Duration.ofSeconds(7));
    byte[] vorbis =
        concat(page(0, vorbisHead(16_000)), page(160_000, new byte[9]), page(-1, sound(9)));
    assertThat(likely(vorbis)).isEqualTo(Duration.ofSeconds(10));
    byte[] other = concat(page(0, ascii("fishead")), page(160_000, new byte[9]));
    assertThat(likely(other)).isEqualTo(AudioLength.atMost(other.length));
  }

  @Test
  void anMp4DeclaresItInItsMovieHeader() {
    for (int version = 0; version <= 1; version++) {
      assertThat(likely(mp4(version, 600, 600 * 12))).isEqualTo(Duration.ofSeconds(12));
    }
    byte[] fragmented = mp4(0, 600, 0);
    assertThat(likely(fragmented)).isEqualTo(AudioLength.atMost(fragmented.length));
  }

  @Test
  void theFramesOfAnMp3AreCounted() {
    byte[] frame = mp3Frame(0x90, 417); // 128 kbit/s at 44.1 kHz: 1,152 samples
    byte[] thin = mp3Frame(0x10, 104); // 32 kbit/s
    byte[] tag = concat(ascii("ID3\u0004\0\0\0\0\u0001\0"), sound(128));
    byte[] frames = concat(times(100, frame), times(100, thin));
    Duration both = Duration.ofNanos(200 * (1_152 * 1_000_000_000L / 44_100));
    assertThat(likely(frames)).isEqualTo(both);
    assertThat(likely(concat(tag, frames, ascii("TAG"), new byte[125]))).isEqualTo(both);
    assertThat(likely(concat(times(100, frame), sound(500), times(100, thin)))).isEqualTo(both);
    byte[] nothing = concat(tag, new byte[400]);
    assertThat(likely(nothing)).isEqualTo(AudioLength.atMost(nothing.length));
  }

  /** Players skip a leading tag of any format, and bytes after the end. */
  @Test
  void aTagHidesNoOtherKind() {
    byte[] tag = ascii("ID3\u0004\0\0\0\0\0\0");
    byte[] frame = Arrays.copyOf(mp3Frame(0x90, 417), 4);
    for (byte[] file :
        List.of(
            ogg(48_000 * 60 + 312, sound(500)),
            flac(44_100, 44_100 * 60),
            mp4(0, 600, 600 * 60),
            wav(1, 1_000, 1, 0, data(60_000, 60_000)))) {
      assertThat(likely(concat(tag, file, frame))).isEqualTo(Duration.ofSeconds(60));
      assertThat(likely(concat(tag, tag, file))).isEqualTo(Duration.ofSeconds(60));
    }
  }

  @Test
  void aFrameAmongOtherThingsIsNotTheirLength() {
    byte[] tag = ascii("ID3\u0004\0\0\0\0\0\0");
    byte[] frame = mp3Frame(0x90, 417);
    for (int bytes : new int[] {10_000, 1 << 20}) {
      byte[] file = concat(tag, sound(bytes), frame);
      assertThat(likely(file)).isEqualTo(AudioLength.atMost(file.length));
      assertThat(likely(concat(frame, frame, sound(bytes))))
          .isEqualTo(AudioLength.atMost(bytes + 2 * frame.length));
    }
  }

  @Test
  void aCoverBehindAnMp3IsNoSound() {
    byte[] frames = times(1_000, mp3Frame(0x90, 417));
    byte[] cover = concat(ascii("APETAGEX\0\0\0\0\0\0\u0003\0"), new byte[16], sound(3 << 16));
    assertThat(likely(concat(frames, cover))).isEqualTo(likely(frames));
  }

  /** Reading each byte of 25 MB blocked the loop for a fifth of a second. */
  @Test
  void bytesOutsideOfFramesAreReadUpToABoundOnly() {
    byte[] step = mp3Frame(0x90, 417);
    byte[] tag = ascii("ID3\u0004\0\0\0\0\0\0");
    // All of the file is in frames except for their second halves: a reader that continues finds
    // them.
    byte[] file = concat(tag, times(1_000, step), sound(70_000), times(1_000, step));
    assertThat(likely(file)).isEqualTo(AudioLength.atMost(file.length));
  }

  @Test
  void soAreThoseOfAac() {
    byte[] frame = new byte[371];
    int length = frame.length;
    byte[] head = {
      (byte) 0xff,
      (byte) 0xf1,
      0x50,
      (byte) (0x80 | length >> 11),
      (byte) (length >> 3),
      (byte) (length << 5 | 0x1f),
      (byte) 0xfc
    };
    System.arraycopy(head, 0, frame, 0, head.length);
    assertThat(likely(times(200, frame)))
        .isEqualTo(Duration.ofNanos(200 * (1_024 * 1_000_000_000L / 44_100)));
  }

  @Test
  void nothingThatIsCutOrChangedIsMoreThanFourHoursOrNegative() {
    List<byte[]> files =
        List.of(
            wav(1, 8_000, 1, 0, data(0, 300)),
            flac(44_100, 441_000),
            ogg(48_000, new byte[100]),
            mp4(1, 600, 7_200),
            movie(ints(0, 0, 0, 600, 1), named("stts", ints(0, 1, 7, 600))),
            ogg(1, times(4, page(1, new byte[9]))),
            studio(0xfffe, 1, 2, 8_000, 16, 300),
            times(4, mp3Frame(0x90, 417)));
    var random = new Random(7);
    for (byte[] file : files) {
      for (int length = 0; length <= file.length; length++) {
        requirePossible(Arrays.copyOf(file, length));
        byte[] changed = file.clone();
        for (int k = 0; k < 4; k++) {
          changed[random.nextInt(file.length)] = (byte) random.nextInt();
        }
        requirePossible(changed);
      }
    }
  }

  private static void requirePossible(byte[] file) {
    assertThat(likely(file)).isBetween(Duration.ZERO, Duration.ofHours(4));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1\\n00:00:00,000 --> 00:00:02,500\\nHi.\\n\\n2\\n00:59:59,000 --> 01:00:01,250\\nBye.\\n | 3601250",
        "WEBVTT\\n\\n00:00.000 --> 00:02.000 align:left\\nHi. | 2000",
        "WEBVTT\\n\\n00:00.000 --> 00:02.000\\nan arrow --> to nowhere: 7 | 2000",
        "1\\n00:00 --> 00:02\\nHi. | 2000",
        "00:00:00,000 --> 01:00:00,000\\nsee --> 00:01 | 3600000",
        "00:00:00,000 --> 01:00:00,000\\n\\n00:00:01,000 --> 00:00:02,000\\nTwo at once. | 3600000",
        "WEBVTT\\n | -1",
        "--> 99 | -1",
        "--> | -1",
        "'' | -1"
      })
  void theLastSubtitleEndsAtItsTime(String text, long millis) {
    byte[] bytes = ascii(text.replace("\\n", "\n"));
    Optional<Duration> end = LastSubtitleCue.end(bytes, bytes.length);
    assertThat(end.map(Duration::toMillis).orElse(-1L)).isEqualTo(millis);
  }

  // Files

  private static byte[] wav(int tag, int rate, int block, int bytesPerSecond, byte[] chunks) {
    ByteBuffer head = ByteBuffer.allocate(36).order(ByteOrder.LITTLE_ENDIAN);
    head.put(ascii("RIFF")).putInt(28 + chunks.length).put(ascii("WAVEfmt ")).putInt(16);
    head.putShort((short) tag).putShort((short) 1).putInt(rate).putInt(bytesPerSecond);
    head.putShort((short) block).putShort((short) 8);
    return concat(head.array(), chunks);
  }

  private static byte[] studio(int tag, int within, int channels, int rate, int bits, int size) {
    ByteBuffer head = ByteBuffer.allocate(60).order(ByteOrder.LITTLE_ENDIAN);
    head.put(ascii("RIFF")).putInt(52 + size).put(ascii("WAVEfmt ")).putInt(40);
    head.putShort((short) tag).putShort((short) channels).putInt(rate).putInt(-1);
    head.putShort((short) 1).putShort((short) bits).position(44);
    head.putShort((short) within);
    return concat(head.array(), data(size, size));
  }

  private static byte[] data(int size, int bytes) {
    ByteBuffer chunk = ByteBuffer.allocate(8 + bytes).order(ByteOrder.LITTLE_ENDIAN);
    return chunk.put(ascii("data")).putInt(size).array();
  }

  private static byte[] flac(int rate, long samples) {
    ByteBuffer head = ByteBuffer.allocate(42);
    head.put(ascii("fLaC")).putInt(34).position(18);
    head.putLong((long) rate << 44 | 1L << 41 | 15L << 36 | samples);
    return head.array();
  }

  private static byte[] ogg(long granule, byte[] sound) {
    ByteBuffer opus = ByteBuffer.allocate(19).order(ByteOrder.LITTLE_ENDIAN);
    opus.put(ascii("OpusHead\u0001\u0001")).putShort((short) 312);
    return concat(page(0, opus.array()), sound, page(granule, new byte[40]));
  }

  private static byte[] vorbisHead(int rate) {
    ByteBuffer head = ByteBuffer.allocate(30).order(ByteOrder.LITTLE_ENDIAN);
    return head.put(ascii("\u0001vorbis")).putInt(0).put((byte) 1).putInt(rate).array();
  }

  private static byte[] page(long granule, byte[] packet) {
    ByteBuffer page = ByteBuffer.allocate(28 + packet.length).order(ByteOrder.LITTLE_ENDIAN);
    page.put(ascii("OggS")).put(new byte[2]).putLong(granule).putInt(7).putLong(0);
    return page.put((byte) 1).put((byte) packet.length).put(packet).array();
  }

  private static byte[] mp4(int version, int unit, long length) {
    ByteBuffer head = ByteBuffer.allocate(120);
    box(head, "mvhd", 120)
        .put((byte) version)
        .put(new byte[3])
        .put(new byte[version == 0 ? 8 : 16]);
    head.putInt(unit);
    if (version == 0) {
      head.putInt((int) length);
    } else {
      head.putLong(length);
    }
    byte[] type = box(ByteBuffer.allocate(24), "ftyp", 24).array();
    byte[] sound = box(ByteBuffer.allocate(500), "mdat", 500).array();
    return concat(type, sound, box(ByteBuffer.allocate(8), "moov", 128).array(), head.array());
  }

  /** Returns a movie whose own header has a millisecond, with a sound track. */
  private static byte[] movie(byte[] soundHead, byte[] tables) {
    byte[] kind = named("hdlr", concat(ints(0, 0), ascii("soun")));
    byte[] media = concat(named("mdhd", soundHead), kind, named("minf", named("stbl", tables)));
    byte[] track = named("trak", named("mdia", media));
    byte[] head = named("mvhd", ints(0, 0, 0, 1_000, 1));
    return concat(named("ftyp", new byte[8]), named("moov", concat(head, track)));
  }

  private static byte[] named(String name, byte[] body) {
    return concat(ints(8 + body.length), ascii(name), body);
  }

  private static byte[] ints(int... numbers) {
    ByteBuffer all = ByteBuffer.allocate(4 * numbers.length);
    Arrays.stream(numbers).forEach(all::putInt);
    return all.array();
  }

  private static ByteBuffer box(ByteBuffer out, String name, int size) {
    return out.putInt(size).put(ascii(name));
  }

  private static byte[] mp3Frame(int rates, int bytes) {
    byte[] frame = new byte[bytes];
    frame[0] = (byte) 0xff;
    frame[1] = (byte) 0xfb;
    frame[2] = (byte) rates;
    return frame;
  }

  /** Returns bytes that resemble no header. */
  private static byte[] sound(int bytes) {
    byte[] sound = new byte[bytes];
    Arrays.fill(sound, (byte) 0x55);
    return sound;
  }

  private static byte[] times(int count, byte[] frame) {
    byte[][] all = new byte[count][];
    Arrays.fill(all, frame);
    return concat(all);
  }

  private static byte[] concat(byte[]... parts) {
    ByteBuffer all = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(part -> part.length).sum());
    for (byte[] part : parts) {
      all.put(part);
    }
    return all.array();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(ISO_8859_1);
  }
}
