package dev.tollgate.sdk;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.errors.BadRequestException;
import com.openai.errors.InternalServerException;
import com.openai.errors.NotFoundException;
import com.openai.errors.OpenAIServiceException;
import com.openai.errors.RateLimitException;
import com.openai.errors.UnauthorizedException;

/** What the client openai-java has in common over chats and responses. */
final class OpenAiJava {
  static final String PICTURE = "data:image/png;base64," + Client.PNG;

  /** The form of an answer, of which the client makes a schema. */
  static final class Weather {
    public String city = "";
    public double celsius;

    Client.Answer answer() {
      return new Client.Answer(city, celsius);
    }
  }

  private OpenAiJava() {}

  static OpenAIClient client(Gateway gateway, int retriesMax) {
    return OpenAIOkHttpClient.builder()
        .baseUrl(gateway.url())
        .apiKey(gateway.key())
        .maxRetries(retriesMax)
        .build();
  }

  static Class<? extends OpenAIServiceException> thrownFor(int status) {
    return switch (status) {
      case 400 -> BadRequestException.class;
      case 401 -> UnauthorizedException.class;
      case 404 -> NotFoundException.class;
      case 429 -> RateLimitException.class;
      case 503 -> InternalServerException.class;
      default -> throw new IllegalArgumentException("status " + status);
    };
  }

  static String codeOf(Throwable refusal) {
    return ((OpenAIServiceException) refusal).code().orElse("");
  }
}
