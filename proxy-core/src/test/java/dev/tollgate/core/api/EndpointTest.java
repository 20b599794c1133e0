package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Routes that requests without one probably mean. */
class EndpointTest {
  @ParameterizedTest
  @CsvSource({
    "POST, /v1/v1/chat/completions, POST /v1/chat/completions",
    "POST, /v1/v1/v1/chat/completions, POST /v1/chat/completions",
    "POST, /chat/completions, POST /v1/chat/completions",
    "POST, /chat/completions/, POST /v1/chat/completions",
    "POST, /v1/chat/completions/, POST /v1/chat/completions",
    "POST, /v1/chat/completions//, POST /v1/chat/completions",
    "GET, /v1/chat/completions, POST /v1/chat/completions",
    "GET, /v1/v1/embeddings/, POST /v1/embeddings",
    "PUT, /v1/models, GET /v1/models",
    "POST, /v1/models, GET /v1/models",
    "GET, /v1/models/, GET /v1/models",
    "GET, /models, GET /v1/models",
    "GET, /models/acme/one, GET /v1/models/{vendor}/{name}",
    "GET, /jobs/job_1, GET /v1/jobs/{id}",
    "PATCH, /v1/video/generations/job_1, GET /v1/video/generations/{id}",
    "DELETE, /v1/v1/video/generations/job_1, DELETE /v1/video/generations/{id}",
    "GET, /, -",
    "GET, //, -",
    "GET, /v1, -",
    "GET, /v1/, -",
    "GET, /v1/v1/, -",
    "GET, /v1x/models, -",
    "POST, /v1/chat, -",
    "GET, /favicon.ico, -",
    "GET, /v1/files, -",
  })
  void aMistakeHasOneLikelyMeaning(String method, String path, String near) {
    assertThat(Endpoint.match(method, path)).isEmpty();
    assertThat(Endpoint.near(method, path).map(one -> one.method() + " " + one.path()).orElse("-"))
        .isEqualTo(near);
  }

  @ParameterizedTest
  @CsvSource({"/v1, 100000", "/, 100000", "/v1/models/, 1000"})
  void aLongPathHasNone(String part, int times) {
    assertThat(Endpoint.near("GET", part.repeat(times))).isEmpty();
  }
}
