// Every session and everything learned, by words and meaning.
export function Search() {
  return (
    <div class="page">
      <header class="page-head">
        <h1>Search</h1>
      </header>
    </div>
  );
}
