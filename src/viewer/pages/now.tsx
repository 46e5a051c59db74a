// What is captured and learned while one looks.
export function Now() {
  return (
    <div class="page">
      <header class="page-head">
        <h1>Now</h1>
      </header>
    </div>
  );
}
